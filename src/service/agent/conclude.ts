import { errorCodes } from '../../contract/error-codes.js';
import type { Turn } from '../../contract/history.js';
import type { Parse, PhaseControl, Step, StepError } from '../../contract/step.js';
import { stepError } from '../../conversation/blank-step.js';
import { CallIds } from '../../conversation/call-ids.js';
import { readProse } from '../parsing/reply-text.js';
import { readPhaseReply } from './phases.js';
import type { ReadAction, Reply } from './read-reply.js';
import type { Situation } from './read-situation.js';

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

const formReminders = {
  text: 'Write it again as `Action: tool(name=value)`, or give your answer after `Final Answer:`.',
  xml: 'Write it again as <tool_code><name>…</name><parameters>{…}</parameters></tool_code>, or answer in <final_answer>.',
  native: 'Call the tool again with arguments that match its schema, or answer.',
} as const satisfies Record<Situation['protocol'], string>;

/** Decides what a reply means at this point of the run. */
export function conclude(reply: Reply, situation: Situation): Conclusion {
  const { phase } = situation.request;
  const { outcome } = reply.parse;
  if (outcome === 'refusal' || outcome === 'truncated' || outcome === 'empty')
    return concludeBilled(reply, outcome);
  if (phase === 'reason' || phase === 'observe') return concludePhase(reply, phase, situation);
  if (outcome === 'action') return concludeAction(reply, situation);
  if (outcome === 'malformed_action' || outcome === 'unknown_tool')
    return concludeUnreadable(reply, situation);
  return phase === 'act' ? completePhase(reply, phase) : answerWith(reply, reply.answer ?? '');
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
  return { ...nothing, reply, status: 'error', outcome, thought: reply.thought, error };
}

function concludeAction(reply: Reply, situation: Situation): Conclusion {
  if (situation.mustAnswer) {
    const answer = answerWith(reply, reply.thought || NO_ANSWER_AT_THE_LIMIT);
    return { ...answer, outcome: 'action_after_limit', thought: null };
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
  const status = 'action_proposed';
  return { ...nothing, reply, status, outcome: 'action', thought: reply.thought, actions, turns };
}

/** An action that cannot be read is a value: its text goes to the user, and the model is told what is wrong. */
function concludeUnreadable(reply: Reply, situation: Situation): Conclusion {
  const { outcome, problem } = reply.parse;
  const content = `Your action could not be read: ${problem ?? 'its form is not known'}. ${formReminders[situation.protocol]}`;
  const correction: Turn | null = situation.mustAnswer ? null : { role: 'user', kind: 'notice', content };
  return { ...answerWith(reply, reply.answer ?? ''), outcome, thought: null, correction };
}

function answerWith(reply: Reply, answer: string): Conclusion {
  return {
    ...nothing,
    reply,
    status: 'direct_response_provided',
    outcome: reply.parse.outcome,
    thought: reply.thought,
    directResponse: answer,
    turns: [{ role: 'assistant', content: answer, ...stateOf(reply) }],
  };
}

function concludePhase(reply: Reply, phase: 'reason' | 'observe', { mustAnswer }: Situation): Conclusion {
  const { prose, control } = readPhaseReply(readProse(reply.completion.text), phase);
  const thought = prose || null;
  if (phase === 'observe') {
    const answer = control.should_continue === false ? control.final_answer : null;
    const lastWord = mustAnswer ? (control.final_answer ?? (prose || NO_ANSWER_AT_THE_LIMIT)) : null;
    const final = answer ?? lastWord;
    if (final !== null) return { ...answerWith(reply, final), outcome: 'answer', thought, control };
  }
  return { ...completePhase(reply, phase), thought, control };
}

function completePhase(reply: Reply, phase: NonNullable<Turn['phase']>): Conclusion {
  const content = readProse(reply.completion.text);
  const turn: Turn = { role: 'assistant', content, phase, ...stateOf(reply) };
  const status = 'phase_completed';
  return { ...nothing, reply, status, outcome: 'answer', thought: content, turns: [turn] };
}

function withIds(actions: readonly ReadAction[], { calls }: Situation): ProposedAction[] {
  const ids = new CallIds(calls.map((call) => call.id));
  return actions.map((action) => ({ ...action, id: ids.take(action.id) }));
}

function stateOf({ completion: { providerState } }: Reply): Pick<Turn, 'provider_state'> {
  return providerState === undefined ? {} : { provider_state: providerState };
}
