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
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
