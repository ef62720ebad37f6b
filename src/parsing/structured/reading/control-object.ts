import type { ParsedCompletion, ParseOptions } from '../../parse-completion.js';
import { answered, cutByLimit, noAction } from './completions.js';
import { nestedAnswer } from './outcomes.js';
import { isCut, type ScannedReply, thoughtOf } from './scanned-reply.js';

export function isControl({ phase, scanner }: ScannedReply): boolean {
  const keys = phase && controlKeys[phase];
  return keys !== undefined && scanner.fields.some(({ key }) => keys.includes(key));
}

/** Keys that only the control object of a phase has. */
const controlKeys: Readonly<Record<'reason' | 'observe', readonly string[]>> = {
  reason: ['plan', 'tools_to_consider', 'finish'],
  observe: ['observation', 'should_continue'],
};

export function readControl(reply: ScannedReply, options: ParseOptions): ParsedCompletion {
  const nested = readNestedAnswer(reply);
  if (nested) return nested;
  return isCut(reply, options) ? readCutControl(reply) : asText(reply);
}

/**
 * Reads an answer in the object `action`, as replies without phases may have it. Returns null if there is none or the
 * control object does not end the run.
 */
function readNestedAnswer(reply: ScannedReply): ParsedCompletion | null {
  const { fields, strings } = reply.scanner;
  const turn = fields.find(({ key }) => key === 'action');
  if (!turn || !endsRun(reply) || strings.get('final_answer')?.trim()) return null;
  const answer = nestedAnswer(reply, turn);
  return answer ? answered(reply, answer, turn) : null;
}

/** Whether the control object ends the run, with `should_continue: false`. */
const endsRun = ({ phase, scanner }: ScannedReply): boolean =>
  phase === 'observe' && scanner.fields.some(({ key, first }) => key === 'should_continue' && first === 'f');

/** Returns the whole reply as an answer. The caller reads the control fields from its text. */
function asText({ text, before }: ScannedReply): ParsedCompletion {
  return { ...before, ...noAction, outcome: 'answer', answer: text.trim(), thought: null };
}

/**
 * Reads a control object that the output limit cut off: returns its partial answer if it ends the run, else only its
 * thought.
 */
function readCutControl(reply: ScannedReply): ParsedCompletion {
  const answer = endsRun(reply) ? (reply.scanner.strings.get('final_answer')?.trim() ?? cutJson(reply)) : '';
  return answer ? answered(reply, answer) : cutByLimit(reply, thoughtOf(reply));
}

/** Returns the text of an answer that is a JSON value, as far as it arrived. */
function cutJson({ text, start, scanner, hasJsonAnswer }: ScannedReply): string | undefined {
  const field =
    hasJsonAnswer && scanner.fields.find(({ key, first }) => key === 'final_answer' && first !== 'n');
  return field ? text.slice(start + field.start, start + (field.end ?? text.length)).trim() : undefined;
}
