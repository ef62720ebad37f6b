import { type Discarded, DiscardedSums } from '../../discarded.js';
import type { ParsedCompletion, ParseOptions } from '../../parse-completion.js';
import type { ScannedField } from '../scanning/scanned-strings.js';
import { silentOutcomes } from './outcomes.js';
import { endOf, type ScannedReply, thoughtOf } from './scanned-reply.js';

export const noAction = {
  action: null,
  dialect: null,
  answerLabelled: false,
  discarded: [],
  repairs: [],
  problem: null,
} as const;

/** Builds a completion in which the prose before the object is the thought. */
export const asThought = (before: ParsedCompletion): ParsedCompletion => ({
  ...before,
  ...noAction,
  outcome: 'empty',
  answer: null,
  thought: before.answer,
});

export function answered(reply: ScannedReply, answer: string, turn?: ScannedField): ParsedCompletion {
  const thought = thoughtOf(reply);
  const common = { ...reply.before, ...noAction, discarded: discardedFields(reply, turn), thought };
  return answer === ''
    ? { ...common, outcome: 'empty', answer: null }
    : { ...common, outcome: 'answer', answer, answerLabelled: true };
}

/** Counts the characters of the fields that are neither the thought nor the action or answer, by kind. */
export function discardedFields(reply: ScannedReply, turn: ScannedField | undefined): Discarded[] {
  const length = endOf(reply) - reply.start;
  const { fields } = reply.scanner;
  const thought = fields.find(({ key, first }) => key === 'thought' && first === '"');
  const kept = new Set([...silentOutcomes(reply), thought, turn].map((field) => field?.start));
  const sums = new DiscardedSums();
  for (const { key, first, start, end } of fields) {
    const isEmpty = first === 'n' || (first === '"' && end === start + 2);
    if (!isEmpty && !kept.has(start)) sums.add(kindOf(key), (end ?? length) - start);
  }
  return sums.entries;
}

function kindOf(key: string): Discarded['kind'] {
  if (key === 'final_answer') return 'answer';
  return key === 'action' || key === 'thought' ? key : 'text';
}

/** Builds the completion of a reply whose JSON object is not closed. */
export function cutOff(reply: ScannedReply, { finishReason }: ParseOptions): ParsedCompletion {
  if (finishReason === 'length') return cutByLimit(reply, thoughtOf(reply));
  return malformed(reply, 'the JSON object is not closed');
}

/** Builds the completion of a reply whose JSON object was cut off by the output limit. */
export function cutByLimit(
  { text, before }: Pick<ScannedReply, 'text' | 'before'>,
  thought: string | null,
): ParsedCompletion {
  const problem = 'the output limit cut the action off';
  return {
    ...before,
    ...noAction,
    outcome: 'truncated',
    dialect: 'json',
    problem,
    answer: text.trim(),
    thought,
  };
}

export function malformed(
  { text, before }: ScannedReply,
  problem: string,
  outcome: 'malformed_action' | 'unknown_tool' | 'truncated' = 'malformed_action',
): ParsedCompletion {
  const answer = text.trim();
  return {
    ...before,
    ...noAction,
    outcome,
    dialect: 'json',
    problem,
    answer,
    thought: null,
  };
}
