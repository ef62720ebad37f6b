import type { FittedPrompt } from './fit-to-budget.js';
import { type LaidOutPrompt, layOutPrompt } from './prompt/lay-out-prompt.js';
import { toReplySituation } from './read-situation.js';
import { type PromptReport, reportContext } from './report-context.js';
import type { ReplySituation } from './types.js';

/**
 * A prompt that is ready to be sent, with its report, and with the part of the situation that is needed to read
 * the reply.
 */
export interface RenderedPrompt extends LaidOutPrompt, PromptReport {
  readonly situation: ReplySituation;
}

/** Lays out the messages and reports which content they include and omit. */
export async function renderPrompt(fitted: FittedPrompt): Promise<RenderedPrompt> {
  const laidOut = layOutPrompt(fitted.sections);
  const reported = await reportContext(fitted, laidOut);
  return { situation: toReplySituation(fitted.situation), ...laidOut, ...reported };
}
