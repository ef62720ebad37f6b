import type { Attachment } from '../../contract/attachment.js';
import type { ActionDetails } from '../../contract/step.js';
import { isObject } from '../../conversation/is-object.js';
import { isAttachment } from '../base/attachments.js';
import { startTimer } from '../base/timer.js';
import { InputNeeded, type InputRequest } from './client-tools.js';
import type { Tool, ToolContext } from './define-tool.js';
import { FoundTools } from './find-tools.js';
import { renderError, renderObservation } from './render-observation.js';
import { SecurityViolation, TerminalToolError } from './tool-errors.js';

/** The outcome of a tool call, with the text that the model reads. */
export type ToolOutcome =
  | {
      readonly success: true;
      readonly text: string;
      /** Images and PDF files that the model sees with the text. */
      readonly attachments?: readonly Attachment[];
      /** Names of the deferred tools that the call found. */
      readonly found?: readonly string[];
    }
  | {
      readonly success: false;
      readonly text: string;
      readonly denied?: boolean;
      /** True if the call tried to reach something forbidden, such as a path outside the folder. */
      readonly violation?: boolean;
      /** The error that ends the run. */
      readonly terminal?: TerminalToolError;
      /** The question that ends the run and leaves the call open; the task of the next run answers it. */
      readonly inputRequest?: InputRequest;
    };

export interface ToolLimits extends Pick<ToolContext, 'signal' | 'sessionId' | 'onOutput'> {
  /** Time limit of the call, in milliseconds. */
  readonly timeoutMs: number;
}

/** Time that a stopped tool has for its cleanup, such as ending processes, before the run stops waiting for it. */
const GRACE_MS = 2_000;

/** Runs one call. Never throws, and stops waiting for a tool that hangs. */
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

/** Reads the tool's result. A tool may report a failure without throwing: `{ success: false, error }`. */
function outcomeOf(result: unknown): ToolOutcome {
  if (result instanceof FoundTools) return { success: true, text: result.text, found: result.names };
  const failed =
    typeof result === 'object' && result !== null && 'success' in result && result.success === false;
  if (!failed) return successOf(result);
  return { success: false, text: 'error' in result ? renderError(result.error) : renderObservation(result) };
}

/**
 * Reads a result `{ content, attachments }` as a text with files. If `attachments` has anything but files, the
 * result is written as JSON like any other value.
 */
function successOf(result: unknown): ToolOutcome {
  const files = isObject(result) ? result['attachments'] : undefined;
  if (!isObject(result) || !Array.isArray(files) || files.length === 0 || !files.every(isAttachment))
    return { success: true, text: renderObservation(result) };
  return { success: true, text: renderObservation(result['content'] ?? ''), attachments: files };
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
const cutOff: ToolOutcome = { success: false, text: 'Interrupted before it was done.' };

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

/** Turns an exception that a tool throws synchronously into a rejected promise. */
const invoke = async (tool: Tool, action: ActionDetails, context: Parameters<Tool['execute']>[1]) =>
  tool.execute(action.tool_args, context);

/** Creates a promise that never resolves, and rejects the given time after `after` is called. */
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
