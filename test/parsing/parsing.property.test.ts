import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderCall, renderXmlCall } from '../../src/conversation/call-text.js';
import type { OfferedTool } from '../../src/parsing/arguments/offered-tool.js';
import { parseCompletion, parseCompletionPausing } from '../../src/parsing/parse-completion.js';
import { readSignatures } from '../../src/parsing/segment/signatures.js';
import { anyText, argumentRecord, chunkLengths, hostileString } from '../support/parsing/arbitraries.js';
import { accountsForAllText, streamsToTheSameResult } from '../support/parsing/properties.js';
import { tools } from '../support/parsing/tools.js';

const offered: OfferedTool[] = [{ name: 'write_file', parameters: ['path', 'content'] }];
/** A tool whose parameters are unknown (an empty list), so the parser accepts arguments with any names. */
const open: OfferedTool[] = [{ name: 'write_file', parameters: [] }];

/** Returns the argument object as a plain JSON value with own keys only, for comparison. */
function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

test('a rendered call is read back with equal arguments, hostile strings included (rule: call-rendering)', () => {
  fc.assert(
    fc.property(argumentRecord, fc.string(), (args, thought) => {
      fc.pre(!/[`~<>|*+\-\d{["#:]/.test(thought));
      const text = `Thought: ${thought}\nAction: ${renderCall('write_file', args)}\nObservation: made up`;
      const { action, confidence } = parseCompletion(text, offered);
      expect(action).toMatchObject({ toolName: 'write_file', raw: renderCall('write_file', args) });
      expect(JSON.stringify(action?.toolArgs)).toBe(JSON.stringify(json(args)));
      expect(confidence).toBe('exact');
    }),
    { numRuns: 500, examples: [[{ 'A:"': 'A:\n', b: ['C:\tx', 'D:\\n'] }, '']] },
  );
});

test('a rendered XML call is read back with equal arguments (rule: call-rendering)', () => {
  fc.assert(
    fc.property(argumentRecord, (args) => {
      const rendered = renderXmlCall('write_file', args);
      const { action, dialect } = parseCompletion(`I write.\n${rendered}\nObservation: x`, offered);
      expect(dialect).toBe('tag');
      expect(action?.raw).toBe(rendered);
      expect(JSON.stringify(action?.toolArgs)).toBe(JSON.stringify(json(args)));
    }),
    { numRuns: 500 },
  );
});

const python = (value: unknown): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value))
    return value.length === 1 ? `(${python(value[0])},)` : `(${value.map(python).join(', ')})`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, each]) => `${python(key)}: ${python(each)}`)
      .join(', ')}}`;
  if (typeof value !== 'string') return String(value);
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
};

test.each<[string, (args: Record<string, unknown>) => string]>([
  ['python', (args) => `Action: write_file(${python(args)})`],
  ['json', (args) => `Action: ${JSON.stringify({ name: 'write_file', arguments: args }, null, 1)}`],
  [
    'encoded',
    (args) =>
      `Action: ${JSON.stringify({ function: { name: 'write_file', arguments: JSON.stringify(args) } })}`,
  ],
  ['action_input', (args) => `Action: write_file\nAction Input: ${JSON.stringify(args)}`],
  ['action_input python', (args) => `Action: write_file\nAction Input: ${python(args)}`],
  ['tag', (args) => `<tool_call>\n${JSON.stringify({ name: 'write_file', arguments: args })}\n</tool_call>`],
  ['fence', (args) => `Action:\n\`\`\`python\nwrite_file(${python(args)})\n\`\`\``],
])('random nested arguments are read back equal in the dialect %s (rule: values)', (_, render) => {
  fc.assert(
    fc.property(argumentRecord, (args) => {
      const { action } = parseCompletion(render(args), open);
      expect(JSON.stringify(action?.toolArgs)).toBe(JSON.stringify(json(args)));
    }),
    { numRuns: 150 },
  );
});

test('the parser returns a result for any string without throwing', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('stop', 'length'), (text, finishReason) => {
      const parsed = parseCompletion(text, tools, { finishReason });
      expect(parsed.action === null).toBe(parsed.outcome !== 'action');
      expect(parsed.answer === null).toBe(parsed.outcome === 'action' || parsed.outcome === 'empty');
      parseCompletion(text, []);
      readSignatures(text);
    }),
    { numRuns: 3000 },
  );
});

test('every character of a reply is in a field of the result or counted as discarded (rule: thought-and-answer)', () => {
  fc.assert(fc.property(anyText, accountsForAllText), { numRuns: 3000 });
});

test('a stream in chunks of any size has the same result as the whole text (rule: deltas-join)', () => {
  fc.assert(fc.property(anyText, chunkLengths, streamsToTheSameResult), { numRuns: 1500 });
});

test('text after a final answer never becomes an action (rule: first-outcome-wins)', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      fc.pre(!text.includes('</think>'));
      expect(parseCompletion(`Final Answer: ${text}`, tools).action).toBeNull();
    }),
    { numRuns: 1000 },
  );
});

test('a call that is cut off anywhere never runs with incomplete arguments (rule: repairs)', () => {
  fc.assert(
    fc.property(hostileString, hostileString, fc.nat(), (path, content, at) => {
      const whole = `Action: ${renderCall('write_file', { path, content })}`;
      const { action } = parseCompletion(whole.slice(0, at % whole.length), offered, {
        finishReason: 'length',
      });
      expect(action).toBeNull();
    }),
    { numRuns: 1000, examples: [['Action:“)', '', 1816990354]] },
  );
});

test('a pause of the parser within a line does not change the result (rule: loop-share)', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 8_150, max: 8_200 }), (text, length) => {
      const [long, short] = [length, 10].map((size) => {
        const { outcome, action, problem, thought, answer } = parseCompletion(
          `${'x'.repeat(size)} ${text}`,
          tools,
        );
        const shown = [thought, answer].map((each) => each?.replace(/^x+/, 'x'));
        return { outcome, action, problem, shown };
      });
      expect(long).toEqual(short);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['lines', '[a]\n'],
  ['one line', '<'],
])('reading a long reply of %s pauses at least every 16,384 characters (rule: loop-share)', async (_, unit) => {
  const text = unit.repeat(200_000 / unit.length);
  let pauses = 0;
  const parsed = await parseCompletionPausing(text, tools, {}, () => {
    pauses += 1;
    return undefined;
  });
  expect(parsed).toEqual(parseCompletion(text, tools));
  expect(pauses).toBeGreaterThanOrEqual(200_000 / 16_384 - 1);
});
