import { wordFor } from './word-for.js';

const COERCED = 'coerced:';

const repairs: Readonly<Record<string, string>> = {
  missing_close: 'Added a missing closing bracket',
  missing_open: 'Accepted a call without its opening tag',
  missing_parentheses: 'Added missing parentheses',
  missing_comma: 'Added a missing comma',
  inner_quotes: 'Accepted unescaped quotes inside a text',
  bare_word: 'Accepted a text without quotes',
  smart_quotes: 'Accepted typographic quotes',
  closing_fence: 'Ended the call at its code fence',
  mismatched_tag: 'Accepted a mismatched closing tag',
  duplicate_key: 'Accepted a repeated name',
  undefined_as_null: 'Read undefined as null',
  big_integer_as_text: 'Read a very large integer as text',
  second_outcome: 'Ignored a second outcome',
  unlabelled_answer: 'Read unlabelled text as the answer',
};

/** Describes a repair of the parser, such as ``Fixed a wrong type in `id` `` for `coerced:id`. */
export const repairInWords = (repair: string): string =>
  repair.startsWith(COERCED)
    ? `Fixed a wrong type in \`${repair.slice(COERCED.length)}\``
    : wordFor(repairs, repair).replaceAll('_', ' ');
