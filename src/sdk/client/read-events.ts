/** The data of each server-sent event of a body, as it arrives (WHATWG HTML §9.2; comments are passed over). */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '' || data.length === 0) continue;
    yield data.join('\n');
    data = [];
  }
}

/** Whole lines, whatever the pieces; a line may end with LF, CR LF or CR. Leaving the loop cancels the body. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let afterReturn = false;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const text = decoder.decode(part.value, { stream: true });
      if (text === '') continue;
      // A CR ends its line at once; a LF that comes with the next piece belongs to it.
      const lines = (afterReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
      lines[0] = rest + lines[0]; // joined after the split: one long line stays linear
      afterReturn = text.endsWith('\r');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
