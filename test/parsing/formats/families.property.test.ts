import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type JsonValue, type OfferedTool, parseCompletion } from '../../../src/parsing/index.js';
import { type Family, families, type RenderedCall } from '../../support/parsing/families.js';
import { stream } from '../../support/parsing/properties.js';

const tools: OfferedTool[] = [
  {
    name: 'write_file',
    parameters: ['path', 'content', 'mode', 'size', 'ratio', 'force', 'tags', 'meta', 'note'],
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        mode: { enum: ['w', 'a'] },
        size: { type: 'integer' },
        ratio: { type: 'number' },
        force: { type: 'boolean' },
        tags: { type: 'array' },
        meta: { type: 'object' },
        note: { type: ['string', 'null'] },
      },
      additionalProperties: false,
    },
  },
  {
    name: 'run.command',
    parameters: ['command'],
    inputSchema: { properties: { command: { type: 'string' } } },
  },
  { name: 'list-tools', parameters: [], inputSchema: { type: 'object', properties: {} } },
];

/** Fragments of text with a meaning in some format: opening and closing tags of all families, labels, quotes, code. */
const pieces = [
  ...families.map(({ render }) => render([{ name: 'run.command', args: { command: 'rm -rf build' } }])),
  ...families.flatMap(({ ends = [] }) => ends),
  'Action: run.command(command="rm -rf build")\n',
  '\nFinal Answer: 42\n',
  '</think>',
  '<think>',
  '<|im_end|>',
  '```',
  '"',
  "'",
  '\\n',
  '\\',
  '\n',
  ' ',
  'a < b && c > d',
  'null',
  '007',
  'résumé',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 8 })), { maxLength: 5 })
  .map((each) => each.join(''));
const number = fc.oneof(fc.integer(), fc.constantFrom(0.5, -12.25, 1e21, 0));
const key = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const writeFile = fc
  .record(
    {
      path: text,
      content: text,
      mode: fc.constantFrom('w', 'a'),
      size: fc.integer(),
      ratio: number,
      force: fc.boolean(),
      tags: fc.array(value, { maxLength: 3 }),
      meta: fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true }),
      note: fc.oneof(
        text.filter((each) => !['null', 'none'].includes(each.trim().toLowerCase())),
        fc.constant(null),
      ),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((args): RenderedCall => ({ name: 'write_file', args }));
const call = fc.oneof(
  { weight: 6, arbitrary: writeFile },
  {
    weight: 1,
    arbitrary: fc
      .record({ command: text })
      .map(({ command }): RenderedCall => ({ name: 'run.command', args: { command } })),
  },
  { weight: 1, arbitrary: fc.constant<RenderedCall>({ name: 'list-tools', args: {} }) },
);

/** Returns all texts that a notation may write for parts of a value: strings unchanged, lists and objects as JSON. */
const stringsIn = (each: JsonValue): string[] => {
  if (typeof each === 'string') return [each];
  if (typeof each !== 'object' || each === null) return [];
  return [JSON.stringify(each), ...Object.values(each).flatMap(stringsIn)];
};

/** Whether the family's notation can express the calls: true if no value contains a text that ends a value. */
const canExpress = ({ ends = [] }: Family, calls: readonly RenderedCall[]): boolean =>
  calls
    .flatMap(({ args }) => Object.values(args).flatMap(stringsIn))
    .every((each) => !ends.some((end) => each.includes(end)));

const callsIn = (reply: string, finishReason: 'stop' | 'length' = 'stop'): RenderedCall[] => {
  const read = parseCompletion(reply, tools, { finishReason });
  const actions = read.outcome === 'action' ? [read.action, ...(read.additionalActions ?? [])] : [];
  return actions.map(({ toolName: name, toolArgs: args }) => ({ name, args }));
};

const beginnings = [
  '',
  'I will write it.\n',
  '<think>\nAction: list-tools()\n</think>\n',
  'One `mark` and\ntwo.\n\n',
];
const beginning = ({ isWholeReply }: Family) =>
  fc.constantFrom(...beginnings.filter((each) => !isWholeReply || !/[.]/.test(each)));

const named = families.map((family) => [family.family, family] as const);

describe.each(named)('the notation of %s', (_, family) => {
  test('any arguments of one or two calls are read as they were written (rules: native-formats, raw-values, typed-text, several-calls)', () => {
    fc.assert(
      fc.property(beginning(family), fc.array(call, { minLength: 1, maxLength: 2 }), (before, calls) => {
        fc.pre(canExpress(family, calls));
        expect(callsIn(before + family.render(calls))).toEqual(calls);
      }),
      { numRuns: 40 },
    );
  });

  test('a streamed reply gives the same result as the whole text, and no delta contains part of a call block (rule: native-formats)', () => {
    fc.assert(
      fc.property(
        beginning(family),
        call,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (before, one, lengths) => {
          fc.pre(canExpress(family, [one]));
          const reply = before + family.render([one]);
          const whole = parseCompletion(reply, tools);
          const { joined, completion } = stream(reply, lengths, { offered: tools, finishReason: 'stop' });
          expect(completion).toEqual(whole);
          expect([joined.answer, joined.draft + joined.thought]).toEqual(['', whole.thought ?? '']);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('a reply cut off by the output limit never proposes a call whose arguments differ from the intended ones (rule: raw-values)', () => {
    fc.assert(
      fc.property(
        fc.array(call, { minLength: 1, maxLength: 2 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (calls, part) => {
          fc.pre(canExpress(family, calls));
          const reply = family.render(calls);
          const found = callsIn(reply.slice(0, Math.floor(reply.length * part)), 'length');
          expect(found).toEqual(calls.slice(0, found.length));
        },
      ),
      { numRuns: 40 },
    );
  });
});
