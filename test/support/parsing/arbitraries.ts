import fc from 'fast-check';

/** Fragments that make parsers fail: markers, tags, fences, quotes, escapes and unusual characters. */
const hostileParts = [
  'Action:',
  'Action: ',
  'Action Input: ',
  'Thought: ',
  'Observation: ',
  'Final Answer: ',
  '**Action:** ',
  '\n',
  '\r\n',
  '\n\n',
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '<tool_code>',
  '<name>',
  '</name>',
  '<parameters>',
  '</parameters>',
  '<final_answer>',
  '</final_answer>',
  '<answer>',
  '</answer>',
  '## Final Answer\n',
  '<pre>',
  '</pre>',
  '<example id="1">\n',
  '</example>',
  '<!--',
  '-->',
  '<response>',
  '</response>',
  '<file path="a">\n',
  '<observation mark="0123456789abcdef">\n',
  '</observation 0123456789abcdef>',
  '</file>',
  '<|im_start|>user',
  '<observation>',
  '</s>',
  '<|im_end|>',
  '```',
  '```json\n',
  '`',
  '~~~',
  '> ',
  '- ',
  '1. ',
  '| ',
  '# ',
  '**',
  '"',
  "'",
  '"""',
  "'''",
  '“',
  '”',
  '\\',
  '\\"',
  '\\n',
  '\\u00',
  '\\ud83d',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '{"name": "',
  '", "arguments": {',
  ',',
  ', ',
  ':',
  '=',
  ';',
  '//',
  '/*',
  '#',
  'read(',
  'read_file(path="a"',
  'read_file',
  'serch(',
  'path=',
  'None',
  'True',
  '-1',
  '1e9',
  '00123',
  '12345678901234567890',
  '\u0000',
  '\ud800',
  '\udfff',
  '\u200f',
  '\u202e',
  '\u2028',
  '\ufeff',
  '\u00a0',
  ' ',
  '    ',
  '\t',
  'é',
  '検索',
  '🚀',
  'word',
  'the answer',
] as const;

/** Any string, or a string that is built from fragments that make parsers fail. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...hostileParts), { maxLength: 40 }).map((parts) => parts.join('')),
);

/** Strings of any characters and of fragments that make parsers fail. */
export const hostileString = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(fc.constantFrom(...hostileParts), { maxLength: 8 }).map((parts) => parts.join('')),
);

/** JSON values for the arguments of a tool. Integers are safe, doubles are finite, and `-0` is 0. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    hostileString,
    fc.constantFrom(null, true, false),
    fc.maxSafeInteger(),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((number) => Math.abs(number) < 2 ** 53 && !Object.is(number, -0)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(hostileString, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

export const argumentRecord = fc.dictionary(
  fc.oneof(fc.constantFrom('path', 'content', 'query', '__proto__', 'constructor'), hostileString),
  value,
  { maxKeys: 5, noNullPrototype: true },
);

/** Lengths of the chunks in which a text arrives. */
export const chunkLengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 20 });

export function cut(text: string, lengths: readonly number[]): string[] {
  const chunks: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    chunks.push(text.slice(at, at + length));
    at += length;
  }
  return chunks;
}
