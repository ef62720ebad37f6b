import { errorCodes } from '../../contract/error-codes.js';
import type { Turn } from '../../contract/history.js';
import type { Parse, PhaseControl, Step, StepError } from '../../contract/step.js';
import { stepError } from '../../conversation/blank-step.js';
import { CallIds } from '../../conversation/units.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import { readProse } from '../../parsing/reply-text.js';
import type { JsonValue } from '../../parsing/text/scanner.js';
import { answerCorrection, correctionFor } from './correction.js';
import { type PhaseReply, readPhaseReply } from './reply/phases.js';
import type { ReadAction, Reply } from './reply/reply.js';
import { chooseAnswer, fits, restored, type TypedAnswer, valuesIn, valuesOf } from './reply/typed-answer.js';
import { type MustAnswer, type ProsePhase, prosePhaseOf, type ReplySituation } from './types.js';

/** The end of a step: the proposed actions or the answer, and the turns to append to the history. */
export interface Conclusion {
  readonly reply: Reply;
  readonly status: Step['status'];
  readonly outcome: Parse['outcome'];
  readonly thought: string | null;
  readonly directResponse: string | null;
  readonly actions: readonly ProposedAction[];
  readonly control: PhaseControl | null;
  readonly correction: Turn | null;
  readonly error: StepError | null;
  /** The answer as a JSON value, or the reason why its text is not one; null for both without `answer_schema`. */
  readonly answer: TypedAnswer;
  /** Turns to append after the new user turn; empty if the history stays unchanged. */
  readonly turns: readonly Turn[];
}

export interface ProposedAction extends ReadAction {
  readonly id: string;
}

/** The explanations for the user why there is no answer although one was required. */
const noAnswer = {
  last_iteration: 'The step limit was reached before there was an answer.',
  terminal_error: 'A tool failed for good before there was an answer.',
} as const satisfies Record<MustAnswer, string>;

/**
 * Returns an answer that replaces an action which must not be proposed. At the step limit, it begins with a fixed
 * sentence that says why the work is unfinished.
 */
function withheldAnswer({ thought }: Reply, mustAnswer: MustAnswer): string {
  if (!thought) return noAnswer[mustAnswer];
  return mustAnswer === 'terminal_error' ? thought : `${noAnswer.last_iteration}\n\n${thought}`;
}

/** Decides what the reply means for the run: an action, an answer, the end of a phase, or an error. */
export async function conclude(reply: Reply, situation: ReplySituation): Promise<Conclusion> {
  const conclusion = await concludeUnchecked(reply, situation);
  const { answerType } = situation;
  const isAnswer = conclusion.status === 'direct_response_provided' && conclusion.outcome === 'answer';
  if (!answerType || !isAnswer) return conclusion;
  const { answerValues = [] } = conclusion.reply;
  const answer = chooseAnswer(answerValues, conclusion.directResponse ?? '', answerType.schema);
  const correction = answer.mismatch === null ? null : answerCorrection(answer.mismatch, situation);
  return { ...conclusion, answer, correction };
}

/** Returns a conclusion whose answer is not checked against `answer_schema` yet. */
async function concludeUnchecked(reply: Reply, situation: ReplySituation): Promise<Conclusion> {
  const { outcome } = reply.parse;
  const phase = prosePhaseOf(situation.request);
  if (outcome === 'refusal' || outcome === 'truncated' || outcome === 'empty')
    return concludeBilled(reply, outcome, phase);
  if (phase) return concludePhase(reply, phase, situation);
  const isHandedOver = reply.actions.length > 0 && situation.clientTerms !== undefined;
  if (outcome === 'action' || isHandedOver) return concludeAction(reply, situation);
  if (outcome === 'malformed_action' || outcome === 'unknown_tool')
    return concludeUnreadable(reply, situation);
  const correction = reply.parse.problem === null ? null : correctionFor(reply, situation);
  const isAct = situation.request.phase === 'act';
  const conclusion = isAct ? await concludeWithoutAction(reply) : concludeAnswer(reply, reply.answer ?? '');
  return { ...conclusion, correction };
}

/** Fills in defaults: omitted fields are null or empty, and `outcome` is the parse outcome. */
function concluded(
  reply: Reply,
  status: Conclusion['status'],
  given: Partial<Omit<Conclusion, 'reply' | 'status'>>,
): Conclusion {
  return {
    reply,
    status,
    outcome: reply.parse.outcome,
    thought: null,
    directResponse: null,
    actions: [],
    control: null,
    correction: null,
    error: null,
    answer: { value: null, mismatch: null },
    turns: [],
    ...given,
  };
}

const billedCodes = {
  refusal: 'upstream_refusal',
  truncated: 'output_truncated',
  empty: 'empty_response',
} as const;

/**
 * Returns an error for a reply that was billed but contains nothing usable. The history stays unchanged
 * (rule: billed-outcomes).
 */
function concludeBilled(
  reply: Reply,
  outcome: keyof typeof billedCodes,
  phase: ProsePhase | undefined,
): Conclusion {
  const partial_text = reply.answer ?? (reply.completion.text || null);
  const code = billedCodes[outcome];
  const error = stepError({ code, ...errorCodes[code] }, { partial_text });
  const thought = phase ? readPhaseReply(reply.thought ?? '', phase).prose : reply.thought;
  return concluded(reply, 'error', { thought, error });
}

function concludeAction(reply: Reply, situation: ReplySituation): Conclusion {
  const { phase, include } = situation.request;
  if (situation.mustAnswer && phase === 'act') return withholdInAct(reply);
  if (situation.mustAnswer) return withholdAction(reply, situation.mustAnswer);
  // Without extensions, a result has no field for further actions.
  const proposed = include?.extensions === false ? reply.actions.slice(0, 1) : reply.actions;
  const actions = withIds(proposed, situation);
  const turns = actions.map(
    ({ name, parameters, id, providerState }, index): Turn => ({
      role: 'assistant',
      content: index === 0 ? (reply.thought ?? '') : '',
      toolCall: { name, parameters, id },
      ...(phase && { phase }),
      ...(providerState === undefined
        ? index === 0 && providerStateOf(reply)
        : { provider_state: providerState }),
    }),
  );
  return concluded(reply, 'action_proposed', { thought: reply.thought, actions, turns });
}

/**
 * Returns an answer instead of the action that the model chose, because an answer was required
 * (rule: last-iteration).
 */
function withholdAction(reply: Reply, mustAnswer: MustAnswer): Conclusion {
  const answer = concludeAnswer(reply, withheldAnswer(reply, mustAnswer), null);
  return { ...answer, outcome: 'action_after_limit' };
}

/** Ends the phase without the action. The phase `act` never ends a run (rule: phases). */
function withholdInAct(reply: Reply): Conclusion {
  const content = reply.thought ?? '';
  const completed = completePhase(reply, 'act', { content, prose: content, control: null });
  return { ...completed, outcome: 'action_after_limit' };
}

/**
 * Returns the text of an unreadable action as an answer instead of an error, with a correction that the caller can
 * append to the history to tell the model why the action was unreadable.
 */
function concludeUnreadable(reply: Reply, situation: ReplySituation): Conclusion {
  const answer = concludeAnswer(reply, reply.answer ?? '', null);
  return { ...answer, outcome: reply.parse.outcome, correction: correctionFor(reply, situation) };
}

/**
 * Ends the run with an answer to the user. A thought before the answer stays in the history beside it, so no text
 * is lost (rule: thought-and-answer).
 */
function concludeAnswer(reply: Reply, answer: string, thought = reply.thought): Conclusion {
  const turn: Turn = {
    role: 'assistant',
    content: answer,
    ...(thought && { thought }),
    ...providerStateOf(reply),
  };
  return concluded(reply, 'direct_response_provided', { thought, directResponse: answer, turns: [turn] });
}

/**
 * Ends a phase as its control block says. In `observe`, a labelled answer takes precedence over the block
 * (rules: phases, phase-control).
 */
async function concludePhase(
  reply: Reply,
  phase: ProsePhase,
  situation: ReplySituation,
): Promise<Conclusion> {
  const content = await readProse(reply.completion.text, yieldIfBusy);
  const hasJsonAnswer = situation.answerType !== undefined;
  const read = readPhaseReply(proseOf(reply, content), phase, { hasJsonAnswer });
  const ofText = withDiscardedCalls(reply);
  if (phase === 'observe') return concludeObserve(ofText, { content, ...read }, situation);
  const { prose, control } = read;
  return completePhase(ofText, phase, {
    content,
    prose,
    control: reply.answerLabelled ? { ...control, finish: true } : control,
  });
}

/** Counts native calls as discarded, because the phases `reason` and `observe` take only text. */
function withDiscardedCalls(reply: Reply): Reply {
  const { completion, parse } = reply;
  if (completion.toolCalls.length === 0) return reply;
  const chars = completion.toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
  return { ...reply, parse: { ...parse, discarded: [{ kind: 'action', chars }] } };
}

function concludeObserve(
  reply: Reply,
  { content, prose, control, answer: inBlock }: PhaseReply & Pick<PhaseText, 'content'>,
  situation: ReplySituation,
): Conclusion {
  const { mustAnswer } = situation;
  const labelled = reply.answerLabelled;
  const labelledAnswer = labelled ? readLabelledAnswer(reply, situation) : '';
  const given =
    labelledAnswer ||
    (control.should_continue === false || labelled || mustAnswer ? control.final_answer : null);
  const withheld = given === null ? withholdInObserve(reply, prose, situation) : undefined;
  if (withheld) return { ...withheld, control };
  const final = given ?? (mustAnswer ? prose || noAnswer[mustAnswer] : null);
  if (final === null) return completePhase(reply, 'observe', { content, prose, control });
  const thought = labelled ? readPhaseReply(reply.thought ?? '', 'observe').prose : prose;
  const value = labelledAnswer === '' && given !== null ? inBlock : undefined;
  const answerValues = value === undefined ? valuesIn(final) : blockValues(value, reply, situation);
  const answer = concludeAnswer(
    { ...reply, answerValues },
    final,
    thought && thought !== final ? thought : null,
  );
  const ended = given === null ? control : { ...control, should_continue: false, final_answer: final };
  return { ...answer, outcome: 'answer', thought: thought || null, control: ended };
}

/**
 * If an answer is required, withholds an action in `observe`, or reports it as unreadable, because its text must not
 * pass for the answer. Returns undefined if the reply is prose.
 */
function withholdInObserve(reply: Reply, prose: string, situation: ReplySituation): Conclusion | undefined {
  const { mustAnswer } = situation;
  const { outcome } = reply.parse;
  if (!mustAnswer) return undefined;
  if (outcome === 'malformed_action' || outcome === 'unknown_tool')
    return concludeUnreadable({ ...reply, answer: prose || reply.answer }, situation);
  if (outcome !== 'action') return undefined;
  const thought = readPhaseReply(reply.thought ?? '', 'observe').prose;
  return withholdAction({ ...reply, thought }, mustAnswer);
}

/** Returns the labelled answer without control blocks. An answer that fits its schema is returned as it is. */
function readLabelledAnswer(reply: Reply, { answerType }: ReplySituation): string {
  const { answer, answerValues = [] } = reply;
  if (answerType && fits(answerValues, answerType.schema)) return answer ?? '';
  return readPhaseReply(answer ?? '', 'observe').prose;
}

/** Returns the possible values of the answer in a control block, most likely first. */
function blockValues(value: JsonValue, { completion }: Reply, { replyFormat }: ReplySituation): JsonValue[] {
  return [...(completion.isConstrained ? restored([value], replyFormat) : []), ...valuesOf(value)];
}

/** Returns the text without labels if the reply is an answer, otherwise the whole text, even that of an action. */
function proseOf({ parse, thought, answer }: Reply, content: string): string {
  return parse.outcome === 'answer' ? [thought, answer].filter(Boolean).join('\n\n') : content;
}

/** Ends an `act` phase in which the model proposed no action (rule: phases). */
async function concludeWithoutAction(reply: Reply): Promise<Conclusion> {
  const content = await readProse(reply.completion.text, yieldIfBusy);
  return completePhase(reply, 'act', { content, prose: proseOf(reply, content), control: null });
}

interface PhaseText {
  /** The text as the model wrote it, which goes into the history. */
  readonly content: string;
  /** The same text without labels such as `Thought:`. */
  readonly prose: string;
  readonly control: PhaseControl | null;
}

function completePhase(
  reply: Reply,
  phase: NonNullable<Turn['phase']>,
  { content, prose, control }: PhaseText,
): Conclusion {
  const turn: Turn = { role: 'assistant', content, phase, ...providerStateOf(reply) };
  return concluded(reply, 'phase_completed', {
    outcome: 'answer',
    thought: prose || null,
    control,
    turns: [turn],
  });
}

function withIds(actions: readonly ReadAction[], { calls }: ReplySituation): ProposedAction[] {
  const ids = new CallIds(calls.map((call) => call.id));
  return actions.map((action) => ({ ...action, id: ids.take(action.id) }));
}

function providerStateOf({ completion: { providerState } }: Reply): Pick<Turn, 'provider_state'> {
  return providerState === undefined ? {} : { provider_state: providerState };
}
