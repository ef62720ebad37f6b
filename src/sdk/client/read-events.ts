/** Yields the data of each server-sent event as it arrives (WHATWG HTML §9.2). Skips comments. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '' || data.length === 0) continue;
    yield data.join('\n');
    data = [];
  }
}

/** Yields whole lines, whatever the chunks. A line ends with LF, CR LF or CR. Cancels the body if the caller leaves the loop. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let afterReturn = false;
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const text = decoder.decode(chunk.value, { stream: true });
      if (text === '') continue;
      // A CR at the end of a chunk has ended its line already: a LF at the start of the next chunk belongs to it.
      const lines = (afterReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
      lines[0] = rest + lines[0]; // joined after the split, so that one very long line takes linear time
      afterReturn = text.endsWith('\r');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
