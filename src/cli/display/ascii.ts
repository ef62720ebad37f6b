/**
 * Returns false if the locale names a character set other than UTF-8. An unset locale counts as UTF-8, since
 * containers have none and current terminals support UTF-8.
 */
export function supportsUnicode(environment: NodeJS.ProcessEnv): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'];
  return !locale || /utf-?8/i.test(locale);
}

/** ASCII replacements for the signs of this program, of the same width. */
const asciiSigns: Readonly<Record<string, string>> = {
  ...{ '─': '-', '│': '|', '╭': '+', '╰': '+', '├': '+', '└': '+', '┼': '+', '▏': '|', '▎': '|' },
  ...{ '▰': '#', '▱': '-', '░': '.', '…': '~', '·': '-', '•': '*', '›': '>', '↳': '>', '→': '>', '⎿': '\\' },
  ...{
    '●': '*',
    '○': 'o',
    '◐': '~',
    '☐': 'o',
    '☑': 'x',
    '✓': 'v',
    '✗': 'x',
    '‘': "'",
    '’': "'",
    '–': '-',
    '—': '-',
  },
  ...{ '“': '"', '”': '"', '⠋': '|', '⠙': '/', '⠹': '-', '⠸': '\\', '⠼': '|', '⠴': '/', '⠦': '-', '⠧': '\\' },
  ...{ '⠇': '|', '⠏': '/', '�': '?' },
};

/**
 * Converts a text to ASCII: letters lose their accents, and characters without a similar ASCII character become
 * `?`.
 */
export const inAscii = (text: string): string =>
  text.replace(
    /[^\0-\x7f]\p{M}*/gu,
    (found) => asciiSigns[found] ?? (found.normalize('NFKD').replace(/[^ -~]+/g, '') || '?'),
  );
