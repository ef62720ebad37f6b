import type { ParsedCompletion } from '../../parsing/parse-completion.js';
import { answered, cutByLimit, noAction } from './completions.js';
import { type ScannedReply, thoughtOf } from './scanned-reply.js';

export function isControl({ phase, scanner }: ScannedReply): boolean {
  const keys = phase && controlKeys[phase];
  return keys !== undefined && scanner.fields.some(({ key }) => keys.includes(key));
}

/** The keys that only a control object has. */
const controlKeys: Readonly<Record<'reason' | 'observe', readonly string[]>> = {
  reason: ['plan', 'tools_to_consider', 'finish'],
  observe: ['observation', 'should_continue'],
};

/** The phase reads its control in the text itself. */
export function asText({ text, before }: ScannedReply): ParsedCompletion {
  return { ...before, ...noAction, outcome: 'answer', answer: text.trim(), thought: null };
}

/** The answer so far, where the limit cut it off and nothing says that the run goes on. */
export function readCutControl(reply: ScannedReply): ParsedCompletion {
  const { fields, strings } = reply.scanner;
  const ends = fields.some(({ key, first }) => key === 'should_continue' && first === 'f');
  const answer = reply.phase === 'observe' && ends ? strings.get('final_answer')?.trim() : '';
  return answer ? answered(reply, answer) : cutByLimit(reply, thoughtOf(reply));
}
