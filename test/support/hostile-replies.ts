import { expect } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { until } from './until.js';
import { type StepAnswer, stepRequest, type WholeService } from './whole-service.js';

/**
 * Returns hostile replies of a model: runs of `length` equal characters, invalid characters, deep nesting, extreme
 * numbers and names.
 */
export function hostileReplies(length: number): Record<string, string> {
  const filled = (unit: string) => unit.repeat(Math.floor(length / unit.length));
  return {
    'one letter': filled('a'),
    spaces: filled(' '),
    newlines: filled('\n'),
    emoji: filled('🙂'),
    'less-than signs': filled('<'),
    'quotes in an action': `Action: read_file(path=${filled('"')}`,
    'backslashes in a string': `Action: read_file(path="${filled('\\')}`,
    'brackets in an action': `Action: read_file(${filled('[')}`,
    'a long argument': `Action: write_file(path="a", content="${filled('line\\n')}")`,
    'lone surrogates in an argument': `Action: read_file(path="\ud800${'\udfff'.repeat(1_000)}")`,
    'lone surrogates in an answer': 'Final Answer: \ud800 and \udc00',
    NUL: `Thought: \0\nAction: read_file(path="a\0b", start_line=1)`,
    'NUL as an escape': 'Action: read_file(path="a\\u0000b")',
    'NUL in the name of an argument': 'Action: read_file({"path\\u0000": 1, "path": "a"})',
    'CR LF': 'Thought: one\r\ntwo\r\nAction: read_file(path="a",\r\n  start_line=1)\r\nObservation: no',
    'right-to-left marks': '\u202eThought:\u200f a\n\u202bAction: read_file(path="\u202e/etc")\u202c',
    'ten thousand actions': 'Action: read_file(path="a")\n'.repeat(10_000),
    'ten thousand malformed actions': 'Action: read_file(path="a\n'.repeat(10_000),
    ...Object.fromEntries([40, 60, 65, 10_000].map((depth) => [`lists, ${depth} deep`, nestedList(depth)])),
    'objects, 10,000 deep': `Action: read_file\nAction Input: ${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    'a large number': 'Action: read_file(path="a", start_line=2.5e20, end_line=-1e300)',
    'numbers out of range': 'Action: read_file(path="a", start_line=9007199254740993, end_line=1e999)',
    'names of Object.prototype': 'Action: read_file({"__proto__": {"x": 1}, "constructor": 2, "path": "a"})',
  };
}

const nestedList = (depth: number) => `Action: read_file(path=${'['.repeat(depth)}${']'.repeat(depth)})`;

/** Limits that are large enough for every history, so that only an invalid one is rejected. */
const roomy = { modelName: 'gpt-4o', tokenLimit: 3_000_000, reservedOutputTokens: 1_000 };

/**
 * Sends the history of a response back, as a client does. Expects that the service accepts it and returns it
 * unchanged.
 */
export async function sendBack(
  service: WholeService,
  { body }: StepAnswer,
  changes: Partial<StepRequestInput> = {},
): Promise<void> {
  const history = JSON.parse(JSON.stringify(body.updated_conversation_history));
  service.fake.script({ text: 'Final Answer: done' });
  const next = await stepPatiently(service, {
    conversation_history: history,
    llm_config: roomy,
    ...changes,
  });
  expect(next.body.error).toBeNull();
  expect(next.body.updated_conversation_history?.slice(0, history.length)).toEqual(history);
}

/**
 * Makes a step. Repeats it while the service is overloaded: on a busy machine, one request of a megabyte can cause that
 * (rule: overload).
 */
export const stepPatiently = (
  service: WholeService,
  changes: Partial<StepRequestInput>,
): Promise<StepAnswer> =>
  until(
    () => service.post('/api/agent/react_step', stepRequest(changes)),
    ({ status }) => status !== 503,
  );
