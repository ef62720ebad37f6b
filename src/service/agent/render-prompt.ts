import type { ContextReport } from '../../contract/context-report.js';
import { reportContext } from './budget/report-context.js';
import type { FittedPrompt } from './fit-to-budget.js';
import { type LaidOutPrompt, layOutPrompt } from './prompt/lay-out-prompt.js';
import type { Situation } from './read-situation.js';

/** A prompt ready to be sent, what is in it, and the situation that its reply is read against. */
export interface RenderedPrompt extends LaidOutPrompt {
  readonly situation: Situation;
  readonly report: ContextReport;
  readonly shouldCompact: boolean;
}

/** Puts what was fitted into messages, and counts them as they are sent. */
export async function renderPrompt(fitted: FittedPrompt): Promise<RenderedPrompt> {
  const laidOut = layOutPrompt(fitted.pieces);
  const report = await reportContext(fitted, laidOut);
  return { ...laidOut, report, situation: fitted.situation, shouldCompact: fitted.shouldCompact };
}
