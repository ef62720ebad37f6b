/**
 * False where the locale names a character set that is not UTF-8. One that is not set says nothing: containers have
 * none, and terminals of today show UTF-8.
 */
export function showsUnicode(environment: NodeJS.ProcessEnv): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'];
  return !locale || /utf-?8/i.test(locale);
}

/** Signs of our own, each as wide as what it stands for. */
const signs: Readonly<Record<string, string>> = {
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

/** The nearest that a screen without Unicode can show: letters without their accents, `?` for what has no likeness. */
export const inAscii = (text: string): string =>
  text.replace(
    /[^\0-\x7f]\p{M}*/gu,
    (found) => signs[found] ?? (found.normalize('NFKD').replace(/[^ -~]+/g, '') || '?'),
  );
