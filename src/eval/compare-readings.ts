import { isDeepStrictEqual } from 'node:util';
import { findMismatch } from '../parsing/arguments/check-arguments.js';
import { readExactJson } from '../parsing/text/exact-json.js';
import type { ComparedField, Reading } from './eval-report.js';

type Schema = Readonly<Record<string, unknown>>;

/** Rule for comparing answers. With `contains`, the new answer must contain the recorded answer, or all given texts. */
type AnswerRule =
  | 'ignore'
  | 'exact'
  | 'contains'
  | 'schema'
  | { readonly contains: readonly string[] }
  | { readonly schema: Schema };

/** The fields that an evaluation compares, each with its rule (rule: compared-fields). */
export interface Comparisons {
  readonly outcome: 'same' | 'ignore';
  readonly tool: 'same' | 'ignore';
  readonly arguments: 'same' | 'ignore';
  readonly answer: AnswerRule;
  /** Maximum growth of the prompt, as a fraction of its recorded size. */
  readonly tokens: number | 'ignore';
  readonly leftOut: 'same' | 'ignore';
}

/**
 * Returns the fields in which a step differs from the recorded one. If the outcomes or tools differ, does not compare
 * the fields that depend on them.
 */
export function compareReadings(
  recorded: Reading,
  now: Reading,
  rules: Comparisons,
): readonly ComparedField[] {
  const isOutcomeSame = recorded.outcome === now.outcome;
  const areToolsSame = isDeepStrictEqual(toolsOf(recorded), toolsOf(now));
  const areArgumentsSame = isDeepStrictEqual(recorded.calls, now.calls);
  const isAnswer = isOutcomeSame && recorded.outcome === 'answer';
  const differs: Readonly<Record<ComparedField, boolean>> = {
    outcome: rules.outcome === 'same' && !isOutcomeSame,
    tool: rules.tool === 'same' && isOutcomeSame && !areToolsSame,
    arguments: rules.arguments === 'same' && isOutcomeSame && areToolsSame && !areArgumentsSame,
    answer: isAnswer && !isAnswerRight(recorded, now, rules.answer),
    tokens: rules.tokens !== 'ignore' && growthOf(recorded, now) > rules.tokens,
    leftOut:
      rules.leftOut === 'same' &&
      now.promptTokens !== null &&
      !isDeepStrictEqual(recorded.leftOut, now.leftOut),
  };
  return fields.filter((field) => differs[field]);
}

const fields = ['outcome', 'tool', 'arguments', 'answer', 'tokens', 'leftOut'] as const;

const toolsOf = ({ calls }: Reading): readonly string[] => calls.map(({ tool }) => tool);

/** Returns the growth of the prompt as a fraction; 0 if one of the sizes is unknown. */
function growthOf({ promptTokens: before }: Reading, { promptTokens: after }: Reading): number {
  return before === null || after === null || before === 0 ? 0 : (after - before) / before;
}

function isAnswerRight(recorded: Reading, now: Reading, rule: AnswerRule): boolean {
  if (rule === 'ignore') return true;
  if (rule === 'exact') return areAnswersEqual(recorded, now);
  if (rule === 'contains') return contains(now, recorded.answer ?? '');
  // The service has already checked typed answers: a null `value` means that the answer does not conform to the
  // schema.
  if (rule === 'schema') return recorded.value === null || now.value !== null;
  if ('contains' in rule) return rule.contains.every((text) => contains(now, text));
  return fits(now, rule.schema);
}

function areAnswersEqual(recorded: Reading, now: Reading): boolean {
  if (recorded.value !== null && now.value !== null) return isDeepStrictEqual(recorded.value, now.value);
  return (recorded.answer ?? '').trim() === (now.answer ?? '').trim();
}

const contains = ({ answer }: Reading, text: string): boolean => folded(answer ?? '').includes(folded(text));

/** Ignores case and the amount of white space. */
const folded = (text: string): string => text.toLowerCase().replace(/\s+/g, ' ').trim();

function fits({ value, answer }: Reading, schema: Schema): boolean {
  const { value: written } = readExactJson(answer ?? '');
  // Cast: a typed answer is always a JSON value.
  const found = (value ?? written) as typeof written;
  return found !== undefined && findMismatch(found, schema) === null;
}
