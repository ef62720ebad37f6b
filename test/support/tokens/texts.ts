import fc from 'fast-check';

/**
 * Characters for which character classes and case folding of JavaScript differ from those of the reference tokenizer,
 * and adjacent characters.
 */
const traps = [
  '\u0085',
  '\ufeff',
  '\u2028',
  '\u2029',
  '\u017f',
  '\u212a',
  '\u180e',
  '\u200b',
  '\u200d',
  '\u3000',
];
const whitespace = [
  ' ',
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\v',
  '\f',
  '\u00a0',
  '\u2009',
  '\u1680',
];
const contractions = [
  "'s",
  "'S",
  "'ſ",
  "'t",
  "'T",
  "'re",
  "'rE",
  "'RE",
  "'ve",
  "'VE",
  "'m",
  "'LL",
  "'ll",
  "'d",
  "'k",
  "'K",
  "'",
  '’s',
];
const words = [
  'the',
  ' the',
  'The',
  'HTML',
  'getElementById',
  'ǅ',
  'ʰ',
  'straße',
  'İ',
  'ﬁ',
  'Ünïcödé',
  'слово',
  '東京',
  'ไทย',
  'हिन्दी',
  'العربية',
];
const marks = ['\u0301', '\u0308\u0301', '\u20dd', '\ufe0f', '\u0e31', '\u{e0101}', '\u{1e130}'];
const numbers = ['0', '7', '42', '1234567', '٣', '४२', '²', '½', 'Ⅷ', '〇', '\u{1d7d8}'];
const symbols = [
  '/',
  '//',
  '/*',
  '*/',
  '!',
  '...',
  '=>',
  '{',
  '}',
  '"',
  '_',
  '$',
  '¿',
  '«',
  '€',
  '→',
  '\0',
  '\u007f',
];
const emoji = ['😀', '👩‍👩‍👧', '🏳️‍🌈', '🇩🇪', '👍🏽', '\u{1faea}'];
const specials = ['<|endoftext|>', '<|endofprompt|>', '<|fim_prefix|>', '<|im_start|>'];
const halves = ['\ud83d', '\ude00', '\ud800', '\udfff'];

const snippet = fc.constantFrom(
  ...[traps, whitespace, contractions, words, marks, numbers, symbols, emoji, specials, halves].flat(),
);

/** Any code point of any plane, assigned or not, including lone surrogates. */
const anyCodePoint = fc
  .integer({ min: 0, max: 0x10ffff })
  .map((codePoint) => String.fromCodePoint(codePoint));

/** Repetitions of a short fragment, which the tokenizer splits into long pieces. */
const run = fc.tuple(snippet, fc.integer({ min: 1, max: 40 })).map(([unit, times]) => unit.repeat(times));

const code = fc.constantFrom(
  "if (it's) {\n\t\treturn `don’t`;\n  }\n\n\n// http://a/b\n/* */",
  'const  a=b?.c??d;\r\n\r\n    export  {a}//\n/\n',
  'def f(x):\n    """I\'LL"""\n\n    return {"k": [1234, 5.6e-7]}\n',
);

/** Texts of any Unicode characters, with many boundaries between pieces. */
export const anyText = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: snippet },
      { weight: 3, arbitrary: anyCodePoint },
      { weight: 1, arbitrary: run },
      { weight: 1, arbitrary: code },
      { weight: 1, arbitrary: fc.string() },
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

/** Texts of characters that belong to the same classes in JavaScript and in the reference tokenizer. */
export const plainText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...[whitespace, contractions, words, marks, numbers, symbols, emoji].flat()),
      fc.constantFrom(..."aAzZ語ªǅ\u03010 \n\r/'!"),
      code,
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join('').replaceAll('ſ', 's'));
