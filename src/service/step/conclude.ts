import { errorCodes } from '../../contract/error-codes.js';
import type { Turn } from '../../contract/history.js';
import type { Parse, PhaseControl, Step, StepError } from '../../contract/step.js';
import { stepError } from '../../conversation/blank-step.js';
import { CallIds } from '../../conversation/units.js';
import { readProse } from '../../parsing/reply-text.js';
import { correctionFor } from './prompt/correction.js';
import type { ReadAction, Reply } from './read-reply.js';
import type { ReplySituation } from './read-situation.js';
import { type ProsePhase, readPhaseReply } from './reply/phases.js';

/** How a step ends: what is proposed or said, and what it adds to the history. */
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
  /** After the user turn that was new; empty if the history stays as it was. */
  readonly turns: readonly Turn[];
}

export interface ProposedAction extends ReadAction {
  readonly id: string;
}

const NO_ANSWER_AT_THE_LIMIT = 'The step limit was reached before there was an answer.';

/** Decides what a reply means at this point of the run. */
export async function conclude(reply: Reply, situation: ReplySituation): Promise<Conclusion> {
  const { phase } = situation.request;
  const { outcome } = reply.parse;
  if (outcome === 'refusal' || outcome === 'truncated' || outcome === 'empty')
    return concludeBilled(reply, outcome);
  if (phase === 'reason' || phase === 'observe') return concludePhase(reply, phase, situation);
  if (outcome === 'action') return concludeAction(reply, situation);
  if (outcome === 'malformed_action' || outcome === 'unknown_tool')
    return concludeUnreadable(reply, situation);
  const correction = reply.parse.problem === null ? null : correctionFor(reply, situation);
  const conclusion =
    phase === 'act' ? await concludeWithoutAction(reply) : answerWith(reply, reply.answer ?? '');
  return { ...conclusion, correction };
}

/** What is not told is nothing; the outcome is that of the reply. */
function concluded(
  reply: Reply,
  status: Conclusion['status'],
  told: Partial<Omit<Conclusion, 'reply' | 'status' | 'correction'>>,
): Conclusion {
  return {
    reply,
    status,
    outcome: told.outcome ?? reply.parse.outcome,
    thought: told.thought ?? null,
    directResponse: told.directResponse ?? null,
    actions: told.actions ?? [],
    control: told.control ?? null,
    correction: null,
    error: told.error ?? null,
    turns: told.turns ?? [],
  };
}

const billedCodes = {
  refusal: 'upstream_refusal',
  truncated: 'output_truncated',
  empty: 'empty_response',
} as const;

/** Made and billed, but nothing to go on with: the history stays as it was (rule: billed-outcomes). */
function concludeBilled(reply: Reply, outcome: keyof typeof billedCodes): Conclusion {
  const partial_text = reply.answer ?? (reply.completion.text || null);
  const code = billedCodes[outcome];
  const error = stepError({ code, ...errorCodes[code] }, { partial_text });
  return concluded(reply, 'error', { thought: reply.thought, error });
}

function concludeAction(reply: Reply, situation: ReplySituation): Conclusion {
  if (situation.mustAnswer) {
    const answer = answerWith(reply, reply.thought || NO_ANSWER_AT_THE_LIMIT, null);
    return { ...answer, outcome: 'action_after_limit' };
  }
  const actions = withIds(reply.actions, situation);
  const { phase } = situation.request;
  const turns = actions.map(
    ({ name, parameters, id }, index): Turn => ({
      role: 'assistant',
      content: index === 0 ? (reply.thought ?? '') : '',
      toolCall: { name, parameters, id },
      ...(phase && { phase }),
      ...(index === 0 && stateOf(reply)),
    }),
  );
  return concluded(reply, 'action_proposed', { thought: reply.thought, actions, turns });
}

/** An action that cannot be read is a value: its text goes to the user, and the model is told what is wrong. */
function concludeUnreadable(reply: Reply, situation: ReplySituation): Conclusion {
  const answer = answerWith(reply, reply.answer ?? '', null);
  return { ...answer, outcome: reply.parse.outcome, correction: correctionFor(reply, situation) };
}

/** The thought before an answer stays in the history beside it: no text is lost (rule: thought-and-answer). */
function answerWith(reply: Reply, answer: string, thought = reply.thought): Conclusion {
  const turn: Turn = { role: 'assistant', content: answer, ...(thought && { thought }), ...stateOf(reply) };
  return concluded(reply, 'direct_response_provided', { thought, directResponse: answer, turns: [turn] });
}

/**
 * A phase ends with its control, but for an answer in `observe`: a labelled one wins over the block
 * (rules: phases, phase-control).
 */
async function concludePhase(
  reply: Reply,
  phase: ProsePhase,
  { mustAnswer }: ReplySituation,
): Promise<Conclusion> {
  const content = readContent(reply);
  const read = (text: string) => readPhaseReply(text, phase);
  const { prose, control } = read(proseOf(reply, content));
  const labelled = reply.answerLabelled;
  if (phase === 'reason')
    return completePhase(reply, phase, {
      content,
      prose,
      control: labelled ? { ...control, finish: true } : control,
    });
  const said = labelled ? read(reply.answer ?? '').prose : '';
  const given =
    said || (control.should_continue === false || labelled || mustAnswer ? control.final_answer : null);
  const final = given ?? (mustAnswer ? prose || NO_ANSWER_AT_THE_LIMIT : null);
  if (final === null) return completePhase(reply, phase, { content, prose, control });
  const thought = labelled ? read(reply.thought ?? '').prose : prose;
  const answer = answerWith(reply, final, thought && thought !== final ? thought : null);
  const ended = given === null ? control : { ...control, should_continue: false, final_answer: final };
  return { ...answer, outcome: 'answer', thought: thought || null, control: ended };
}

/** All that was said, without labels where the reply is an answer; an action is prose here. */
function proseOf({ parse, thought, answer }: Reply, content: string): string {
  return parse.outcome === 'answer' ? [thought, answer].filter(Boolean).join('\n\n') : content;
}

const readContent = ({ completion }: Reply): string => readProse(completion.text);

/** `act` without an action (rule: phases). */
async function concludeWithoutAction(reply: Reply): Promise<Conclusion> {
  const content = readContent(reply);
  return completePhase(reply, 'act', { content, prose: proseOf(reply, content), control: null });
}

interface PhaseText {
  /** The words as they were written, which the history keeps. */
  readonly content: string;
  /** What was said, without labels. */
  readonly prose: string;
  readonly control: PhaseControl | null;
}

function completePhase(
  reply: Reply,
  phase: NonNullable<Turn['phase']>,
  { content, prose, control }: PhaseText,
): Conclusion {
  const turn: Turn = { role: 'assistant', content, phase, ...stateOf(reply) };
  return concluded(reply, 'phase_completed', {
    outcome: 'answer',
    thought: prose || null,
    control,
    turns: [turn],
  });
}

function withIds(actions: readonly ReadAction[], { calls }: ReplySituation): ProposedAction[] {
  const ids = new CallIds(calls.map((call) => call.id));
  return actions.map(({ name, parameters, raw, id }) => ({ name, parameters, raw, id: ids.take(id) }));
}

function stateOf({ completion: { providerState } }: Reply): Pick<Turn, 'provider_state'> {
  return providerState === undefined ? {} : { provider_state: providerState };
}
