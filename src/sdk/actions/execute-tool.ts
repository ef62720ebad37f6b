import type { ActionDetails } from '../../contract/step.js';
import { startTimer } from '../base/timer.js';
import { InputNeeded, type InputRequest } from './client-tools.js';
import type { Tool, ToolContext } from './define-tool.js';
import { renderError, renderObservation } from './render-observation.js';
import { SecurityViolation, TerminalToolError } from './tool-errors.js';

/** What a call came to. */
export type ToolOutcome =
  | { readonly success: true; readonly text: string }
  | {
      readonly success: false;
      readonly text: string;
      readonly denied?: boolean;
      /** It reached for what the tools must not touch. */
      readonly violation?: boolean;
      /** Ends the run. */
      readonly terminal?: TerminalToolError;
      /** Ends the run too, and leaves the call open: a later run answers it. */
      readonly inputRequest?: InputRequest;
    };

export interface ToolLimits extends Pick<ToolContext, 'signal' | 'sessionId' | 'onOutput'> {
  /** Milliseconds after which the tool is given up. */
  readonly timeoutMs: number;
}

/** Milliseconds a stopped tool has to clean up (to end its processes) before it is given up. */
const GRACE_MS = 2_000;

/** Runs one call. Never throws, never waits for a tool that hangs. */
export async function executeTool(
  tool: Tool,
  action: ActionDetails,
  limits: ToolLimits,
): Promise<ToolOutcome> {
  if (limits.signal.aborted) return notRun;
  try {
    return outcomeOf(await executeWithin(tool, action, limits));
  } catch (error) {
    return limits.signal.aborted ? cutOff : failureOf(error);
  }
}

/** A tool may return that it failed instead of throwing: `{ success: false, error }`. */
function outcomeOf(result: unknown): ToolOutcome {
  const failed =
    typeof result === 'object' && result !== null && 'success' in result && result.success === false;
  if (!failed) return { success: true, text: renderObservation(result) };
  return { success: false, text: 'error' in result ? renderError(result.error) : renderObservation(result) };
}

export function failureOf(error: unknown): ToolOutcome {
  const text = renderError(error);
  if (error instanceof TerminalToolError) return { success: false, text, terminal: error };
  if (error instanceof SecurityViolation) return { success: false, text, violation: true };
  return error instanceof InputNeeded
    ? { success: false, text, inputRequest: error.request }
    : { success: false, text };
}

export const notRun: ToolOutcome = { success: false, text: 'Not run: the run was stopped first.' };
const cutOff: ToolOutcome = { success: false, text: 'Stopped before it was done.' };

async function executeWithin(tool: Tool, action: ActionDetails, limits: ToolLimits) {
  const { signal, sessionId, onOutput, timeoutMs } = limits;
  const controller = new AbortController();
  const expire = () => controller.abort(new Error(`Given up after ${timeoutMs} ms.`));
  const clearTimer = startTimer(timeoutMs, expire);
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const giveUp = alarm();
  controller.signal.addEventListener('abort', () => giveUp.after(GRACE_MS, controller.signal.reason));
  try {
    const context = { signal: controller.signal, sessionId, onOutput, callId: action.id };
    return await Promise.race([invoke(tool, action, context), giveUp.rings]);
  } finally {
    clearTimer();
    giveUp.cancel();
    signal.removeEventListener('abort', stop);
  }
}

/** A tool may throw before its first await. */
const invoke = async (tool: Tool, action: ActionDetails, context: Parameters<Tool['execute']>[1]) =>
  tool.execute(action.tool_args, context);

/** A promise that rejects some time after it is told to. */
function alarm() {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ring: (reason: unknown) => void;
  const rings = new Promise<never>((_, reject) => {
    ring = reject;
  });
  return {
    rings,
    after: (milliseconds: number, reason: unknown) => {
      timer = setTimeout(() => ring(reason), milliseconds);
    },
    cancel: () => clearTimeout(timer),
  };
}
