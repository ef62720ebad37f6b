import type { Turn } from '../../contract/history.js';
import type { Parse, PhaseControl, Step, StepError } from '../../contract/step.js';
import { stepError } from '../../contract/step-error.js';
import type { StepRequest } from '../../contract/step-request.js';
import { CallIds } from '../../conversation/call-ids.js';
import { readProse } from '../parsing/read-prose.js';
import { readPhaseReply } from './phases.js';
import type { Completion } from './provider.js';
import type { ReadAction, Reply } from './read-reply.js';
import type { Situation } from './read-situation.js';

/** How a step ends: what is proposed or said, and what it adds to the history. */
export interface Conclusion {
  readonly status: Step['status'];
  readonly outcome: Parse['outcome'];
  readonly thought: string | null;
  readonly directResponse: string | null;
  readonly actions: readonly ProposedAction[];
  readonly control: PhaseControl | null;
  readonly correction: Turn | null;
  readonly error: StepError | null;
  /** Behind the user turn that was new; empty where the history stays as it was. */
  readonly turns: readonly Turn[];
}

export interface ProposedAction extends ReadAction {
  readonly id: string;
}

interface Circumstances {
  readonly request: StepRequest;
  readonly situation: Situation;
  readonly completion: Completion;
  readonly reply: Reply;
}

const NO_ANSWER_AT_THE_LIMIT = 'The step limit was reached before there was an answer.';

const formReminders = {
  text: 'Write it again as `Action: tool(name=value)`, or give your answer after `Final Answer:`.',
  xml: 'Write it again as <tool_code><name>…</name><parameters>{…}</parameters></tool_code>, or answer in <final_answer>.',
  native: 'Call the tool again with arguments that match its schema, or answer.',
} as const satisfies Record<Situation['protocol'], string>;

/** Decides what a reply means at this point of the run (SPEC §4). */
export function conclude(circumstances: Circumstances): Conclusion {
  const { request, reply } = circumstances;
  const failed = billedFailure(circumstances);
  if (failed) return failed;
  if (request.phase === 'reason' || request.phase === 'observe')
    return concludePhase(circumstances, request.phase);
  switch (reply.parse.outcome) {
    case 'action':
      return concludeAction(circumstances);
    case 'malformed_action':
    case 'unknown_tool':
      return concludeUnreadable(circumstances);
    default:
      return request.phase === 'act'
        ? phaseCompleted(circumstances, 'act')
        : answered(circumstances, reply.answer ?? '');
  }
}

const nothing = {
  thought: null,
  directResponse: null,
  actions: [],
  control: null,
  correction: null,
  error: null,
  turns: [],
} as const satisfies Partial<Conclusion>;

/** Outcomes that were made and billed but give nothing to go on with: the history stays as it was. */
function billedFailure({ completion, reply }: Circumstances): Conclusion | undefined {
  const { outcome } = reply.parse;
  const codes = {
    refusal: 'upstream_refusal',
    truncated: 'output_truncated',
    empty: 'empty_response',
  } as const;
  if (outcome !== 'refusal' && outcome !== 'truncated' && outcome !== 'empty') return undefined;
  const partial_text = reply.answer ?? (completion.text || null);
  return {
    ...nothing,
    status: 'error',
    outcome,
    thought: reply.thought,
    error: stepError(codes[outcome], { partial_text }),
  };
}

function concludeAction(circumstances: Circumstances): Conclusion {
  const { request, situation, completion, reply } = circumstances;
  if (situation.mustAnswer) {
    const answer = answered(circumstances, reply.thought || NO_ANSWER_AT_THE_LIMIT);
    return { ...answer, outcome: 'action_after_limit', thought: null };
  }
  const actions = withIds(reply.actions, situation);
  const turns = actions.map(
    ({ name, parameters, id }, index): Turn => ({
      role: 'assistant',
      content: index === 0 ? (reply.thought ?? '') : '',
      toolCall: { name, parameters, id },
      ...(request.phase && { phase: request.phase }),
      ...(index === 0 && stateOf(completion)),
    }),
  );
  return { ...nothing, status: 'action_proposed', outcome: 'action', thought: reply.thought, actions, turns };
}

/** An action that cannot be read is a value: its text goes to the user, and the model is told what is wrong. */
function concludeUnreadable(circumstances: Circumstances): Conclusion {
  const { situation, reply } = circumstances;
  const { outcome, problem } = reply.parse;
  const content = `Your action could not be read: ${problem ?? 'its form is not known'}. ${formReminders[situation.protocol]}`;
  const correction: Turn | null = situation.mustAnswer ? null : { role: 'user', kind: 'notice', content };
  return { ...answered(circumstances, reply.answer ?? ''), outcome, thought: null, correction };
}

function answered({ completion, reply }: Circumstances, answer: string): Conclusion {
  const turn: Turn = { role: 'assistant', content: answer, ...stateOf(completion) };
  return {
    ...nothing,
    status: 'direct_response_provided',
    outcome: reply.parse.outcome,
    thought: reply.thought,
    directResponse: answer,
    turns: [turn],
  };
}

function concludePhase(circumstances: Circumstances, phase: 'reason' | 'observe'): Conclusion {
  const { prose, control } = readPhaseReply(readProse(circumstances.completion.text), phase);
  if (phase === 'observe') {
    const answer = control.should_continue === false ? control.final_answer : null;
    const lastWord = circumstances.situation.mustAnswer
      ? (control.final_answer ?? (prose || NO_ANSWER_AT_THE_LIMIT))
      : null;
    const final = answer ?? lastWord;
    if (final !== null)
      return { ...answered(circumstances, final), outcome: 'answer', thought: prose || null, control };
  }
  return { ...phaseCompleted(circumstances, phase), thought: prose || null, control };
}

function phaseCompleted(circumstances: Circumstances, phase: NonNullable<StepRequest['phase']>): Conclusion {
  const content = readProse(circumstances.completion.text);
  const turn: Turn = { role: 'assistant', content, phase, ...stateOf(circumstances.completion) };
  return { ...nothing, status: 'phase_completed', outcome: 'answer', thought: content, turns: [turn] };
}

function withIds(actions: readonly ReadAction[], { calls }: Situation): ProposedAction[] {
  const ids = new CallIds(calls.map((call) => call.id));
  return actions.map((action) => ({ ...action, id: ids.take(action.id) }));
}

function stateOf({ providerState }: Completion): Pick<Turn, 'provider_state'> {
  return providerState === undefined ? {} : { provider_state: providerState };
}
