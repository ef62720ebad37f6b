import { startTimer } from '../base/timer.js';

/** Maximum wait for the end of a body after its last event. A service ends it at once; a proxy may keep it open. */
const MAX_END_MS = 1_000;

/** Reads the server-sent events of a body (WHATWG HTML §9.2). */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #isOver = false;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /** Yields the data of each event as it arrives. Skips comments. Cancels the body if the caller leaves the loop. */
  async *events(): AsyncGenerator<string> {
    let data: string[] = [];
    try {
      for await (const line of readLines(this.#reader)) {
        if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
        if (line !== '' || data.length === 0) continue;
        yield data.join('\n');
        data = [];
      }
    } finally {
      if (!this.#isOver) await this.#reader.cancel().catch(() => undefined);
    }
  }

  /**
   * Reads the rest of the body after its last event and never fails. Without this, browsers report a finished request as
   * aborted, because its body was cancelled before its end.
   */
  async end(): Promise<void> {
    const stopWaiting = startTimer(MAX_END_MS, () => void this.#reader.cancel().catch(() => undefined));
    try {
      while (!this.#isOver) this.#isOver = (await this.#reader.read()).done;
    } catch {
      // The last event has arrived, so a connection that breaks afterwards loses nothing.
    } finally {
      stopWaiting();
    }
  }
}

/** Yields whole lines, even if a chunk ends within a line. A line ends with LF, CR LF or CR. */
async function* readLines(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let afterReturn = false;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const text = decoder.decode(chunk.value, { stream: true });
    if (text === '') continue;
    // A CR at the end of the previous chunk has already ended its line. An LF at the start of this chunk belongs to
    // that CR.
    const lines = (afterReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
    lines[0] = rest + lines[0]; // joined after the split, so that one very long line takes linear time
    afterReturn = text.endsWith('\r');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
