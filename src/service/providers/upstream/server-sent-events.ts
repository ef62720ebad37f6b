/** One server-sent event; `data` lines joined by `\n`. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events (WHATWG HTML §9.2.6) from bytes that are cut anywhere. Each byte is looked at a bounded
 * number of times, whatever the pieces. An event without its blank line at the end is not one.
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  let event = '';
  let data: string[] = [];
  for await (const line of readLines(bytes)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const [name, value] = splitField(line);
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
}

/** Lines ended by `\n`, `\r` or `\r\n`; what follows the last end is dropped. */
async function* readLines(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let afterReturn = false;
  for await (const piece of bytes) {
    const decoded = decoder.decode(piece, { stream: true });
    if (decoded === '') continue;
    const text = afterReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    afterReturn = decoded.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\r|\n/);
    begun.push(first);
    for (const other of others) {
      yield begun.join('');
      begun = [other];
    }
  }
}

function splitField(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}
