import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseInSlices } from '../../../src/parsing/parse-completion.js';
import { atOnce, SLICE } from '../../../src/parsing/slices.js';
import { readValue } from '../../../src/parsing/text/literals.js';
import { type JsonValue, Scanner } from '../../../src/parsing/text/scanner.js';
import { resolveEscapes } from '../../../src/parsing/text/strings.js';

/** The value, and how much was read before each pause. */
function readSliced(text: string): { value: JsonValue | undefined; pauses: number[] } {
  const work = readValue(new Scanner(text, 0));
  const pauses: number[] = [];
  for (;;) {
    const { done, value } = work.next();
    if (done) return { value, pauses };
    pauses.push(value);
  }
}

const LONGEST_ITEM = 4_000;

const items = fc
  .jsonValue({ maxDepth: 4 })
  .filter((item) => JSON.stringify(item).length < LONGEST_ITEM && !JSON.stringify(item).includes('-0'));

test('a long value is read with pauses, and is what JSON.parse makes of it (rules: values, loop-share)', () => {
  const lengths = fc.integer({ min: 0, max: 3 * SLICE });
  fc.assert(
    fc.property(items, lengths, fc.boolean(), (item, length, isList) => {
      const written = JSON.stringify(item);
      const list = Array.from({ length: Math.ceil(length / (written.length + 1)) }, () => item);
      const text = JSON.stringify(isList ? list : { ...list });
      const { value, pauses } = readSliced(text);
      expect(value).toStrictEqual(JSON.parse(text));
      expect(pauses.length).toBeGreaterThanOrEqual(Math.floor(text.length / (SLICE + 2 * LONGEST_ITEM)));
      for (const read of pauses) expect(read).toBeLessThan(SLICE + 2 * LONGEST_ITEM);
    }),
    { numRuns: 60 },
  );
});

test('a key that stands twice, a number as it was written and the deepest level are the same in a long value (rule: values)', () => {
  const padding = JSON.stringify(Array.from({ length: SLICE }, (_, index) => index));
  const scanner = new Scanner(`{"a": 1.10, "long": ${padding}, "a": 2, "__proto__": 3, "b": 1e2}`, 0);
  const work = readValue(scanner);
  let step = work.next();
  while (!step.done) step = work.next();
  const { value } = step;
  expect(Object.entries(value ?? {}).map(([key]) => key)).toEqual(['a', 'long', '__proto__', 'b']);
  expect(scanner.repairs).toEqual(new Set(['duplicate_key']));
  expect(scanner.spellings.get(Object(value))?.get('b')).toBe('1e2');
  expect(readSliced(`${'['.repeat(57)}${']'.repeat(57)}`).value).toBeDefined();
  expect(readSliced(`${'['.repeat(58)}${']'.repeat(58)}`).value).toBeUndefined();
});

test('an escape means the same in a long string as in a short one (rule: values)', () => {
  const fragments = [
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\u00e9',
    '\\ud83d\\ude00',
    '\\d',
    '\\x41',
    '\n',
    'text',
    "\\'",
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...fragments), { minLength: 1 }),
      fc.constantFrom('"', "'"),
      (parts, quote) => {
        const times = Math.ceil(10_000 / parts.join('').length);
        const expected = parts.map((part) => atOnce(resolveEscapes(part, quote))).join('');
        expect(atOnce(resolveEscapes(parts.join('').repeat(times), quote))).toBe(expected.repeat(times));
      },
    ),
  );
});

/** How much of a reply was read before each pause, and its outcome. */
function readReply(text: string): { outcome: string; pauses: number[] } {
  const work = parseInSlices(text, [{ name: 'f', parameters: ['x'] }]);
  const pauses: number[] = [];
  for (;;) {
    const { done, value } = work.next();
    if (done) return { outcome: value.outcome, pauses };
    pauses.push(value);
  }
}

test.each([
  ['a call', (value: string) => `Action: f(x=${value})`],
  ['JSON', (value: string) => `Action: {"name": "f", "arguments": {"x": ${value}}}`],
  [
    'a tag',
    (value: string) => `<tool_call><name>f</name><parameters>{"x": ${value}}</parameters></tool_call>`,
  ],
  ['JSON without a marker', (value: string) => `{"name": "f", "arguments": {"x": ${value}}}`],
])('an argument of a megabyte in %s is read with pauses (rule: loop-share)', (_, write) => {
  const list = JSON.stringify(Array.from({ length: 20_000 }, () => 'x'.repeat(50)));
  const { outcome, pauses } = readReply(write(list));
  expect(outcome).toBe('action');
  expect(pauses.filter((read) => read >= SLICE && read < 2 * SLICE).length).toBeGreaterThan(25);
});

test('one line of a megabyte is read with pauses, marks in it or not (rule: loop-share)', () => {
  for (const unit of ['word ', 'a `b` c ', '<b>x</b> ', '</s>', '<|im_end|>']) {
    const { outcome, pauses } = readReply(`So it is: ${unit.repeat(2 ** 20 / unit.length)}.`);
    expect(outcome).toBe('answer');
    expect(pauses.filter((read) => read >= SLICE).length).toBeGreaterThan(25);
  }
});

test('what is left of a reply with many blocks of reasoning is found with pauses (rule: loop-share)', () => {
  const pausesOf = (blocks: number) => readReply(`${'<think>x</think>y\n'.repeat(blocks)}`).pauses.length;
  expect(pausesOf(1_100) - pausesOf(900)).toBe(6); // three for each of two cuts
});
