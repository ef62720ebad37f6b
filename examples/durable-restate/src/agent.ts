import {
  CancelledError,
  handlers,
  InvocationIdParser,
  serde,
  TerminalError,
  workflow,
} from '@restatedev/restate-sdk';
import { z } from 'zod';
import { findProblem, type Reply, replySchema } from './reply.js';
import { runLoop } from './run-loop.js';
import type { Outcome, RunContext, SharedContext, Status, Waiting, WaitingCall } from './status.js';

const taskSchema = z.strictObject({ task: z.string().trim().min(1) });

/** A run is a workflow whose name the caller chooses; starting the same name twice runs it once. */
export const agent = workflow({
  name: 'agent',
  handlers: {
    run: handlers.workflow.workflow({ input: serde.schema(taskSchema) }, run),
    status: handlers.workflow.shared(readStatus),
    reply: handlers.workflow.shared({ input: serde.schema(replySchema) }, reply),
    cancel: handlers.workflow.shared(cancel),
  },
  options: {
    // Restate considers a handler stuck if it is silent for this long. A model call may take the service's whole
    // deadline.
    inactivityTimeout: { minutes: 3 },
    // Restate retries while no worker is available, and pauses the run after about a day. Failures of the service are
    // retried by the loop itself.
    retryPolicy: { initialInterval: 200, maxInterval: { seconds: 10 }, maxAttempts: 10_000 },
  },
});

/** Runs the agent. Restate catches every error except `TerminalError` and runs the handler again from the journal. */
async function run(ctx: RunContext, { task }: z.infer<typeof taskSchema>): Promise<Outcome> {
  ctx.set('invocation', ctx.request().id);
  let outcome: Outcome;
  try {
    outcome = await runLoop(ctx, task);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    outcome = endOf(error);
  }
  ctx.set('status', outcome);
  return outcome;
}

const endOf = (error: TerminalError): Outcome =>
  error instanceof CancelledError
    ? { state: 'cancelled' }
    : { state: 'failed', error: { code: 'internal_error', message: error.message } };

async function readStatus(ctx: SharedContext): Promise<Status> {
  const status = await ctx.get('status');
  if (!status) throw new TerminalError('There is no such run.', { errorCode: 404 });
  return status.state === 'waiting' ? withoutReplied(ctx, status) : status;
}

/**
 * Removes calls whose reply has already arrived. The run may not have read it yet, because it reads replies one by one
 * and needs a worker.
 */
async function withoutReplied(ctx: SharedContext, { step, waiting_for }: Waiting): Promise<Status> {
  const open: WaitingCall[] = [];
  for (const call of waiting_for) {
    if ((await ctx.promise<Reply>(call.call_id).peek()) === undefined) open.push(call);
  }
  return open.length > 0 ? { state: 'waiting', step, waiting_for: open } : { state: 'running', step };
}

async function reply(ctx: SharedContext, given: Reply): Promise<void> {
  const status = await readStatus(ctx);
  const waiting = status.state === 'waiting' ? status.waiting_for : [];
  const call = waiting.find(({ call_id }) => call_id === given.call_id);
  if (!call) throw new TerminalError('No such call waits.', { errorCode: 404 });
  const problem = findProblem(call, given);
  if (problem) throw new TerminalError(problem, { errorCode: 400 });
  await ctx.promise<Reply>(call.call_id).resolve(given);
}

/** Cancels the run and aborts its step in progress, which frees a slot at the service. */
async function cancel(ctx: SharedContext): Promise<void> {
  const invocation = await ctx.get('invocation');
  if (!invocation) throw new TerminalError('There is no such run.', { errorCode: 404 });
  ctx.cancel(InvocationIdParser.fromString(invocation));
}
