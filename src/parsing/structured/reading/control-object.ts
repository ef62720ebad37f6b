import type { ParsedCompletion, ParseOptions } from '../../parse-completion.js';
import { answered, cutByLimit, noAction } from './completions.js';
import { nestedAnswer } from './outcomes.js';
import { isCut, type ScannedReply, thoughtOf } from './scanned-reply.js';

export function isControl({ phase, scanner }: ScannedReply): boolean {
  const keys = phase && controlKeys[phase];
  return keys !== undefined && scanner.fields.some(({ key }) => keys.includes(key));
}

/** The keys that only a control object has. */
const controlKeys: Readonly<Record<'reason' | 'observe', readonly string[]>> = {
  reason: ['plan', 'tools_to_consider', 'finish'],
  observe: ['observation', 'should_continue'],
};

export function readControl(reply: ScannedReply, options: ParseOptions): ParsedCompletion {
  const nested = readNestedAnswer(reply);
  if (nested) return nested;
  return isCut(reply, options) ? readCutControl(reply) : asText(reply);
}

/** The answer of a run that ends, where it stands under `action` as in other replies. */
function readNestedAnswer(reply: ScannedReply): ParsedCompletion | null {
  const { fields, strings } = reply.scanner;
  const turn = fields.find(({ key }) => key === 'action');
  if (!turn || !endsRun(reply) || strings.get('final_answer')?.trim()) return null;
  const answer = nestedAnswer(reply, turn);
  return answer ? answered(reply, answer, turn) : null;
}

/** Nothing in it says that the run goes on. */
const endsRun = ({ phase, scanner }: ScannedReply): boolean =>
  phase === 'observe' && scanner.fields.some(({ key, first }) => key === 'should_continue' && first === 'f');

/** The phase reads its control in the text itself. */
function asText({ text, before }: ScannedReply): ParsedCompletion {
  return { ...before, ...noAction, outcome: 'answer', answer: text.trim(), thought: null };
}

/** The answer so far, where the limit cut it off and nothing says that the run goes on. */
function readCutControl(reply: ScannedReply): ParsedCompletion {
  const answer = endsRun(reply) ? reply.scanner.strings.get('final_answer')?.trim() : '';
  return answer ? answered(reply, answer) : cutByLimit(reply, thoughtOf(reply));
}
