import type { CompactionRequest } from '../../contract/compaction.js';
import type { Turn } from '../../contract/history.js';
import { cutLines } from '../context/cut-lines.js';
import { fence } from '../context/fence.js';
import { parseCompletion } from '../parsing/parse-completion.js';
import { completionRequest } from './completion-request.js';
import { KEPT_UNITS, readUnits, turnsOf, type Unit } from './history-units.js';
import { budgetExceeded } from './plan-budget.js';
import { renderPrompt } from './prompt/render-prompt.js';
import { renderUnit } from './prompt/render-unit.js';
import { summaryTemplate } from './prompt/templates/summary.js';
import type { Completion, Prompt, Provider } from './provider.js';
import type { StepDependencies } from './step-dependencies.js';

export interface CompactionDependencies extends Pick<StepDependencies, 'tokens' | 'profile' | 'patience'> {
  /** Called only where a model call is made. */
  readonly connect: () => Provider;
}

/** The least of a transcript that is worth a summary, in tokens. */
const SMALLEST_TRANSCRIPT = 64;

/** One model call turns all between the first task and the newest units into one `summary` turn. */
export async function summarizeHistory(
  request: CompactionRequest,
  dependencies: CompactionDependencies,
): Promise<{ turns: Turn[]; usage: Completion['usage'] | null }> {
  const history = request.conversation_history;
  const units = readUnits(history);
  const task = units.find((unit) => unit.type === 'user' && unit.isTask);
  const old = units.slice(0, -KEPT_UNITS).filter((unit) => unit !== task);
  if (old.every((unit) => unit.type === 'user' && !unit.isTask)) return { turns: [...history], usage: null };
  const prompt = await summaryPrompt(task ? [task, ...old] : old, request, dependencies);
  const provider = dependencies.connect();
  const completion = await provider.complete(completionRequest(request, prompt), dependencies.patience);
  const content = parseCompletion(completion.text, []).answer?.trim();
  if (!content) return { turns: [...history], usage: completion.usage };
  const replaced = new Set(old.flatMap(turnsOf));
  const position = Math.min(...replaced);
  const summary: Turn = { role: 'user', kind: 'summary', content };
  const turns = history.flatMap((turn, index) => [
    ...(index === position ? [summary] : []),
    ...(replaced.has(index) ? [] : [turn]),
  ]);
  return { turns, usage: completion.usage };
}

/** The old part as one fenced transcript, cut to what the budget of the call leaves. */
async function summaryPrompt(
  units: readonly Unit[],
  { llm_config: config }: CompactionRequest,
  { tokens, profile }: Pick<StepDependencies, 'tokens' | 'profile'>,
): Promise<Prompt> {
  const framing = profile.framing.prompt + 2 * profile.framing.message;
  const fixed = (await tokens.count(summaryTemplate)) + framing;
  const text = units.map(transcribe).join('');
  const render = (shown: { text: string }) => fence({ tag: 'observation', attributes: {}, text: shown.text });
  const limit = config.tokenLimit - config.reservedOutputTokens - fixed;
  const cut = limit > 0 ? await cutLines({ text, render }, limit, tokens) : undefined;
  if (!cut) throw budgetExceeded(config, fixed + SMALLEST_TRANSCRIPT);
  return renderPrompt({ system: summaryTemplate, context: [cut.rendered], history: [], tail: '' }).prompt;
}

function transcribe(unit: Unit): string {
  const speaker = { user: 'User', assistant: 'Agent' } as const;
  return renderUnit(unit, 'text')
    .map(
      ({ role, parts }) =>
        `${speaker[role]}: ${parts.map((part) => ('text' in part ? part.text : '')).join('')}`,
    )
    .join('');
}
