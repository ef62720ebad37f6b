/** An encoding inside another: what a gateway does to the error of a vendor. */
const DEPTH = 2;

/** The text, and whatever it may have been before somebody escaped or encoded it; at most two encodings deep. */
export function decodingsOf(text: string): string[] {
  const found = new Set([text]);
  let fresh = [text];
  for (let depth = 0; depth < DEPTH && fresh.length > 0; depth += 1) {
    fresh = fresh
      .flatMap((each) => decoders.map((decode) => decode(each)))
      .filter((each) => !found.has(each));
    for (const each of fresh) found.add(each);
  }
  return [...found];
}

const decoders: readonly ((text: string) => string)[] = [
  unescapeJson,
  decodePercents,
  decodeEntities,
  decodeHex,
  ...[0, 1, 2, 3].map((offset) => (text: string) => decodeBase64(text, offset)),
];

function unescapeJson(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|(.))/gisu, (_, code?: string, escaped = '') =>
    code === undefined ? escaped : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function decodePercents(text: string): string {
  return text.replace(/%([\da-f]{2})/giu, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const entities: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,3})|#x([\da-f]{1,2})|(quot|apos|lt|gt|amp));/giu,
    (_, ...found: string[]) => {
      const [decimal, hex, name] = found;
      if (decimal) return String.fromCharCode(Number(decimal));
      return hex
        ? String.fromCharCode(Number.parseInt(hex, 16))
        : (entities[name?.toLowerCase() ?? ''] ?? '');
    },
  );
}

function decodeHex(text: string): string {
  return text.replace(/(?:[\da-f]{2}){6,}/giu, (run) => Buffer.from(run, 'hex').toString('latin1'));
}

/** A run may begin anywhere in the four characters that hold three bytes. */
function decodeBase64(text: string, offset: number): string {
  return text.replace(/[\w+/-]{8,}/gu, (run) => Buffer.from(run.slice(offset), 'base64').toString('latin1'));
}
