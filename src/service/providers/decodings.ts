/** An encoding inside another: what a gateway does to the error of a vendor. */
const DEPTH = 2;

/** The text, and whatever it may have been before somebody escaped or encoded it; at most two encodings deep. */
export function decodingsOf(text: string): string[] {
  const found = new Set([text]);
  let fresh = [text];
  for (let depth = 0; depth < DEPTH && fresh.length > 0; depth += 1) {
    const decoded = new Set(fresh.flatMap((each) => decoders.map((decode) => decode(each))));
    fresh = [...decoded].filter((each) => !found.has(each));
    for (const each of fresh) found.add(each);
  }
  return [...found];
}

const decoders: readonly ((text: string) => string)[] = [
  unescapeJson,
  decodePercents,
  decodeEntities,
  decodeHex,
  decodeHexCodes,
  decodeDecimalCodes,
  decodeOctalCodes,
  decodeLookalikes,
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
    /&(?:#0*(\d{1,3})|#x0*([\da-f]{1,2})|(quot|apos|lt|gt|amp));?/giu,
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

/** Two digits each, however they are set apart: `\\x5a`, `\\u{5a}`, `0x5a`, `U+005A`, `=5A`, `5a:78`. */
function decodeHexCodes(text: string): string {
  return text.replace(
    /(?:0x|\\*[xu]|u\+|=|\b)\{?(?:00)*([\da-f]{2})\}?(?![\da-f])[\s,;:]*/giu,
    (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** `90 120 45`, `[90,120,45]`, `\\90\\120\\45`. */
function decodeDecimalCodes(text: string): string {
  return text.replace(/\\*\b0?(\d{2,3})\b[\s,;:]*/gu, (_, code: string) => String.fromCharCode(Number(code)));
}

/** `\\132\\170`, `0o132 0o170`, `132 170`. */
function decodeOctalCodes(text: string): string {
  return text.replace(/\\*\b(?:0?o|0)?([0-7]{2,3})\b[\s,;:]*/giu, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 8)),
  );
}

/** Fullwidth, mathematical and circled letters, and those with accents. */
function decodeLookalikes(text: string): string {
  return text.normalize('NFKD');
}

/** A run may begin anywhere in the four characters that hold three bytes. */
function decodeBase64(text: string, offset: number): string {
  return text.replace(/[\w+/-]{8,}/gu, (run) => Buffer.from(run.slice(offset), 'base64').toString('latin1'));
}
