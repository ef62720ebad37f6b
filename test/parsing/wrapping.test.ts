import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { outcomeOf } from '../conformance/stepwise.js';
import { faults, loadCases } from '../support/parsing/cases.js';

/** Calls that can be wrapped in other text: they have no tag, no second label, and nothing unclosed. */
const calls = loadCases('written-calls').filter(
  ({ expected, wrap = '', style }) =>
    expected.outcome === 'action' && !/tag|AI/.test(wrap) && style !== 'missing_close',
);

const labels = [
  ['Thought: ', 'Action: '],
  ['**Thought:** ', '**Action:** '],
  ['**Thought**: ', '**Action**: '],
  ['Thought 3: ', 'Action 3: '],
  ['thought: ', 'action:'],
  ['## Thought: ', '## Action: '],
  ['\n  Thought: ', '  Action: '],
  ['', 'Action:'],
] as const;
const thoughts = [
  'Do it',
  'First, check.\nThen edit.\n\n1. read\n2. write',
  'The user said "fix it" - next action: read.',
];
const wrappings: readonly ((raw: string) => string)[] = [
  (raw) => raw,
  (raw) => `\n${raw}`,
  (raw) => `\n\`\`\`python\n${raw}\n\`\`\``,
  (raw) => `\n\`\`\`\n${raw}\n\`\`\``,
  (raw) => (raw.includes('\n') ? raw : `\`${raw}\``),
];
const tails = [
  '',
  '</s>',
  '<|im_end|>',
  '  \n\n',
  '\nObservation: {"ok": true}',
  '\n\nObservation: no\nThought: now\nAction: read_file(path="b")\nFinal Answer: done',
  '\nAction: read_file(path="second.txt")',
  "\nFinal Answer: It's done.",
  '\n\nI will wait for the result (about 1 minute).',
];
const reasonings = ['', '<think>\nMaybe Action: read_file(path="decoy.txt")\nNo.\n</think>\n\n'];
const around: readonly ((text: string) => string)[] = [(text) => text, (text) => `\`\`\`\n${text}\n\`\`\``];

test('a call is read the same, whatever label, fence, reasoning or text surrounds it (rule: markers)', () => {
  const pick = fc.constantFrom;
  const parts = fc.tuple(pick(...calls), pick(...labels), pick(...thoughts), pick(...wrappings));
  const surroundings = fc.tuple(pick(...tails), pick(...reasonings), pick(...around));
  fc.assert(
    fc.property(
      parts,
      surroundings,
      ([call, [thoughtLabel, actionLabel], thought, wrap], [tail, reasoning, fence]) => {
        const { outcome, tool_name = '', tool_args = {}, raw = '' } = call.expected;
        const turn = `${thoughtLabel}${thought}\n${actionLabel}${wrap(raw)}${tail}`;
        const read = outcomeOf({ ...call, text: reasoning + fence(turn) });
        expect(faults({ outcome, tool_name, tool_args, raw, thought }, read)).toEqual([]);
      },
    ),
    { numRuns: 3000 },
  );
});
