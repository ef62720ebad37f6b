import type { ActionDetails, TurnInput } from 'stepwise';
import type { Reply } from './reply.js';
import { findTool } from './shop-tools.js';
import type { RunContext, WaitingCall } from './status.js';

const TOOL_TIMEOUT_MS = 60_000;

/** The actions that a step proposed. */
interface Proposal {
  readonly step: number;
  readonly actions: readonly ActionDetails[];
}

/** Performs all proposed actions: first waits for the people's replies, then runs the calls in order. */
export async function performActions(ctx: RunContext, proposal: Proposal): Promise<TurnInput[]> {
  const replies = await askPeople(ctx, proposal);
  const observations: TurnInput[] = [];
  for (const action of proposal.actions) {
    observations.push(await perform(ctx, action, replies.get(action.id)));
  }
  return observations;
}

/**
 * Awaits each person's reply as a durable promise, named by the id of the call: the wait may take days and needs no
 * running process.
 */
async function askPeople(ctx: RunContext, { step, actions }: Proposal): Promise<Map<string, Reply>> {
  const waiting = actions.filter(needsPerson).map(toWaitingCall);
  if (waiting.length > 0) ctx.set('status', { state: 'waiting', step, waiting_for: waiting });
  const replies = new Map<string, Reply>();
  for (const { call_id } of waiting) replies.set(call_id, await ctx.promise<Reply>(call_id));
  return replies;
}

const needsPerson = ({ tool_name, requires_approval }: ActionDetails): boolean =>
  requires_approval || tool_name === 'request_input';

const toWaitingCall = ({ id, tool_name, tool_args }: ActionDetails): WaitingCall => ({
  call_id: id,
  tool: tool_name,
  arguments: tool_args,
});

/**
 * Handles one call: a person denied or answered it, or its tool is executed. The journal stores the result under the
 * call's id and name.
 */
async function perform(ctx: RunContext, action: ActionDetails, reply: Reply | undefined): Promise<TurnInput> {
  if (reply?.type === 'answer') return succeeded(action, reply.text);
  if (reply?.type === 'deny') return denied(action, reply.reason);
  const call = reply?.type === 'edit' ? { ...action, tool_args: reply.arguments } : action;
  const observed = await ctx.run(`${call.id} ${call.tool_name}`, () => execute(ctx, call));
  if (call === action) return observed;
  const note = `The user changed the arguments to ${JSON.stringify(call.tool_args)}.`;
  return { ...observed, content: `${note}\n${observed.content}` };
}

/** Runs a tool and returns its exception as an observation. A replay skips calls that are already in the journal. */
async function execute(ctx: RunContext, call: ActionDetails): Promise<TurnInput> {
  console.log(
    `${new Date().toISOString()} ${ctx.key}: ${call.id} ${call.tool_name} ${JSON.stringify(call.tool_args)}`,
  );
  const stop = ctx.request().attemptCompletedSignal;
  const timeout = AbortSignal.timeout(TOOL_TIMEOUT_MS);
  // Without a listener of its own, Node.js 20 drops the timeout when it collects garbage.
  timeout.addEventListener('abort', () => {});
  const signal = AbortSignal.any([stop, timeout]);
  const context = { signal, sessionId: ctx.key, callId: call.id };
  try {
    return succeeded(call, String(await findTool(call.tool_name).execute(call.tool_args, context)));
  } catch (error) {
    // After a cancellation, or if another worker took over the run, the error must not become an observation.
    stop.throwIfAborted();
    return { ...succeeded(call, String(error)), toolResult: { success: false } };
  }
}

const succeeded = ({ id }: ActionDetails, content: string): TurnInput => ({
  role: 'tool_observation',
  content,
  toolCallId: id,
  toolResult: { success: true },
});

const denied = (call: ActionDetails, reason = 'none given'): TurnInput => ({
  ...succeeded(call, `The user refused this call, so it was not run. Reason: ${reason}`),
  toolResult: { success: false, denied: true },
});
