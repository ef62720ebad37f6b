import type { FittedPrompt } from './fit-to-budget.js';
import { type LaidOutPrompt, layOutPrompt } from './prompt/lay-out-prompt.js';
import { type PromptReport, reportContext } from './report-context.js';
import type { ReplySituation, Situation } from './types.js';

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

/** Copies those parts of a situation that are still needed once the prompt has been sent (rule: lean-waiting). */
function toReplySituation(situation: Situation): ReplySituation {
  const { session_id, llm_config, phase, max_iterations_left, include } = situation.request;
  const { newTurn, calls, tools, found, offered, protocol, replyFormat, answerType } = situation;
  const { mustAnswer, clientTerms, warnings } = situation;
  return {
    request: { session_id, llm_config, phase, max_iterations_left, include },
    newTurn,
    calls: calls.map(withoutText),
    tools,
    found,
    offered,
    protocol,
    replyFormat,
    answerType,
    mustAnswer,
    clientTerms,
    warnings,
  };
}

function withoutText({ id, name, parameters, observation }: Situation['calls'][number]) {
  if (!observation) return { id, name, parameters };
  const { isError, isDenied } = observation;
  return { id, name, parameters, observation: { isError, isDenied } };
}
