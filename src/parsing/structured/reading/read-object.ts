import { addUp, type Discarded } from '../../discarded.js';
import { type ParsedCompletion, type ParseOptions, parseCompletion } from '../../parse-completion.js';
import { isJsonObject, type JsonValue, type Repair } from '../../text/scanner.js';
import type { ScannedField } from '../scanning/scanned-strings.js';
import { discardedAfter, proseAfter } from './after-object.js';
import { answered, cutOff, noAction } from './completions.js';
import { isControl, readControl } from './control-object.js';
import { readJsonAnswer } from './json-answer.js';
import { holdsBoth, nestedAnswer, outcomesOf, turnOf } from './outcomes.js';
import { type ReadAction, readAction, writtenAction } from './read-action.js';
import { endOf, isCut, type ScannedReply, thoughtOf } from './scanned-reply.js';

export interface ObjectReading {
  readonly completion: ParsedCompletion;
  /**
   * True if the reply is exactly the object that the prompt asks for: complete, without repairs, and with nothing
   * around it.
   */
  readonly isWhole: boolean;
  /** The answer as a JSON value, if the reply has one and answers are not text (rule: typed-answers). */
  readonly answerValue?: JsonValue | undefined;
  /** The thought in the text after the object, if the object was only an example. */
  readonly furtherThought?: string | null;
}

/** Reads a scanned object (rule: object-reply). Never throws. */
export function readObject(reply: ScannedReply, options: ParseOptions): ObjectReading {
  const { before, scanner } = reply;
  const { departs = false, answerValue, ...found } = findIn(reply, options);
  const isIntroduced = Boolean(before.answer);
  const prose = acts(found) ? proseAfter(reply.text, endOf(reply), { isIntroduced }) : null;
  if (prose !== null) return readExample(reply, prose, options);
  const reasoning = [options.reasoning, before.reasoning].filter((part) => part?.trim()).join('\n\n') || null;
  const around = [...before.discarded, ...discardedAfter(reply.text, endOf(reply))];
  const repairs = [...new Set([...found.repairs, ...repairsOf(reply)])];
  const confidence = repairs.length > 0 ? 'repaired' : 'exact';
  const completion = {
    ...found,
    reasoning,
    repairs,
    confidence,
    discarded: addUp([...found.discarded, ...around]),
  } as const;
  const isAlone =
    scanner.end === reply.text.trim().length &&
    reply.text.trimStart().length === reply.text.length - reply.start;
  const isWhole = isAlone && repairs.length === 0 && !departs && isTaughtForm(reply);
  return { completion, isWhole, answerValue };
}

function findIn(reply: ScannedReply, options: ParseOptions): ReadAction {
  if (isControl(reply)) return readControl(reply, options);
  const typed = reply.hasJsonAnswer ? readJsonAnswer(reply) : undefined;
  if (typed) return typed;
  return findOutcome(reply, options) ?? readOtherwise(reply, options);
}

const acts = ({ outcome }: ParsedCompletion): boolean =>
  outcome === 'action' || outcome === 'malformed_action' || outcome === 'unknown_tool';

/**
 * Maximum length of the text after an example that is parsed. It is parsed in one turn of the event loop, which takes
 * up to 0.15 s.
 */
const MAX_AFTER_EXAMPLE = 2 ** 19;

/**
 * Reads a reply whose object is only an example, since prose follows it: the text after it decides the
 * outcome (rule: closing-fence). If that text is too long to be parsed, the whole reply is an answer.
 */
function readExample(reply: ScannedReply, prose: number, options: ParseOptions): ObjectReading {
  const { text, start, before, tools } = reply;
  const isLong = text.length - prose > MAX_AFTER_EXAMPLE;
  const rest = parseCompletion(isLong ? '' : text.slice(prose), tools, options);
  const reasoning = [before.reasoning, rest.reasoning].filter(Boolean).join('\n\n') || null;
  if (rest.outcome !== 'action' && !rest.answerLabelled) {
    const answer = text.trim();
    const common = {
      ...before,
      ...noAction,
      ...exampleFields,
      outcome: 'answer',
      answer,
      thought: null,
    } as const;
    return { completion: { ...common, reasoning }, isWhole: false };
  }
  const thought = [thoughtOf(reply), rest.thought].filter(Boolean).join('\n') || null;
  const left: Discarded = { kind: 'action', chars: endOf(reply) - start };
  const discarded = addUp([...before.discarded, left, ...rest.discarded]);
  const completion = { ...rest, thought, reasoning, discarded };
  return { completion, isWhole: false, furtherThought: rest.thought };
}

const exampleFields = {
  confidence: 'repaired',
  repairs: ['unlabelled_answer'],
  problem:
    'if you meant to act, write the object by itself: text follows the one with an action, so it was taken for an example',
} as const;

/**
 * Reads the action or answer in the reply's object that determines the outcome; undefined if the object has neither in
 * the requested form.
 */
function findOutcome(reply: ScannedReply, options: ParseOptions): ReadAction | undefined {
  const turn = turnOf(reply);
  if (!turn) return undefined;
  const nested = nestedAnswer(reply, turn);
  if (nested !== null) return answered(reply, nested, turn);
  if (turn.key === 'final_answer') return readAnswer(reply, turn);
  const raw = writtenAction(reply, turn);
  return raw === null ? undefined : readAction(reply, { turn, raw }, options);
}

/** Reads the answer; a list becomes JSON text. An empty text gives way to one under the key `answer`. */
function readAnswer(reply: ScannedReply, turn: ScannedField): ReadAction | undefined {
  const { text, start, scanner } = reply;
  const answer = scanner.strings.get('final_answer')?.trim();
  if (answer === '' && scanner.strings.get('answer')?.trim()) return undefined;
  if (answer !== undefined) return answered(reply, answer, turn);
  if (turn.first !== '[' || turn.end === null) return undefined;
  return answered(reply, text.slice(start + turn.start, start + turn.end).trim(), turn);
}

/**
 * Reads an object without an action or answer in the form that the prompt asks for: as a call or an answer in another
 * syntax if possible. Otherwise the text under the key `answer` is the answer, else the whole object, or its thought
 * if it has nothing else.
 */
function readOtherwise(reply: ScannedReply, options: ParseOptions): ParsedCompletion {
  const { text, start, scanner, tools } = reply;
  if (isCut(reply, options)) return cutOff(reply, options);
  const whole = text.slice(start, endOf(reply));
  const parsed = parseCompletion(whole, tools, options);
  if (parsed.outcome !== 'answer' || parsed.answerLabelled)
    return { ...parsed, thought: thoughtBeside(reply, parsed) };
  if (!scanner.strings.has('thought'))
    return { ...parsed, thought: thoughtBeside(reply, parsed), problem: parsed.problem ?? noOutcome };
  const others = scanner.fields.filter(
    ({ key, first }) => first !== 'n' && !['thought', 'action', 'final_answer'].includes(key),
  );
  const [other] = others;
  const named = others.every(({ key }) => key === 'answer')
    ? scanner.strings.get('answer')?.trim()
    : undefined;
  if (named && other) return unlabelled(answered(reply, named, other), null);
  if (other) return { ...unlabelled(answered(reply, whole), noOutcome), discarded: [] };
  return { ...unlabelled(answered(reply, thoughtOf(reply) ?? ''), noOutcome), thought: null };
}

const unlabelled = (completion: ParsedCompletion, problem: string | null): ParsedCompletion =>
  completion.outcome === 'answer'
    ? { ...completion, answerLabelled: false, repairs: ['unlabelled_answer'], problem }
    : completion;

/** Returns the thought of a reply whose action or answer is in another syntax. */
function thoughtBeside(reply: ScannedReply, parsed: ParsedCompletion): string | null {
  if (parsed.outcome === 'action' || parsed.answerLabelled) return thoughtOf(reply);
  return [reply.before.answer, parsed.thought].filter(Boolean).join('\n') || null;
}

const noOutcome = 'the object holds neither "action" nor "final_answer"';

function repairsOf(reply: ScannedReply): Repair[] {
  const { scanner } = reply;
  return [
    ...(scanner.end === null ? (['missing_close'] as const) : []),
    ...(scanner.hasInnerQuotes ? (['inner_quotes'] as const) : []),
    ...(scanner.lacksComma ? (['missing_comma'] as const) : []),
    ...(scanner.repeats ? (['duplicate_key'] as const) : []),
    ...(outcomesOf(reply).length > 1 || holdsBoth(reply) ? (['second_outcome'] as const) : []),
  ];
}

/** Maximum number of fields of an object in the form that the prompt asks for. */
const MAX_FIELDS = 16;

/**
 * Whether the object is valid JSON and matches the reply schema except for the arguments (rule:
 * constrained-confidence).
 */
function isTaughtForm(reply: ScannedReply): boolean {
  if (reply.scanner.fields.length > MAX_FIELDS) return false;
  const value = parse(reply.text.slice(reply.start, endOf(reply)));
  if (!isJsonObject(value) || typeof value['thought'] !== 'string') return false;
  if (isControl(reply)) return true;
  const { thought: _, action, final_answer: answer, ...others } = value;
  if (Object.keys(others).length > 0) return false;
  if (action === undefined) return isAnswer(answer, reply) && reply.answerKey !== 'action';
  return answer === undefined && isJsonObject(action) && isTaughtAction(action, reply);
}

const isAnswer = (answer: JsonValue | undefined, { hasJsonAnswer }: ScannedReply): boolean =>
  hasJsonAnswer ? answer !== undefined : typeof answer === 'string';

function isTaughtAction(action: Readonly<Record<string, JsonValue>>, reply: ScannedReply): boolean {
  const keys = Object.keys(action);
  if (keys.length === 1) return isAnswer(action['final_answer'], reply) && reply.answerKey !== 'final_answer';
  return keys.length === 2 && keys.includes('tool') && keys.includes('args');
}

function parse(written: string): JsonValue | undefined {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
