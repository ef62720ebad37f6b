import type { CompactionRequest } from '../../../contract/compaction.js';
import type { Turn } from '../../../contract/history.js';
import type { Warning } from '../../../contract/step.js';
import { KEPT_UNITS, readUnits, turnsOf, type Unit } from '../../../conversation/units.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { readProse } from '../../../parsing/reply-text.js';
import { cutLines } from '../../context/cutting/cut-lines.js';
import { fenceInShares } from '../../context/fence.js';
import { budgetExceeded } from '../budget/share-budget.js';
import { completionRequest } from '../complete.js';
import { withoutNul } from '../history/json-values.js';
import { renderInShares } from '../prompt/render-unit.js';
import { summaryTemplate } from '../prompt/templates/orders.js';
import type { Completion, Prompt, Provider } from '../provider.js';
import { layOutPrompt } from '../render-prompt.js';
import type { StepDependencies } from '../step-dependencies.js';

export interface CompactionDependencies extends Pick<StepDependencies, 'tokens' | 'profile' | 'deadline'> {
  /** Called only if a model call is made. */
  readonly connect: () => Provider;
}

/** The least of a transcript that is worth a summary, in tokens. */
const SMALLEST_TRANSCRIPT = 64;

/** What a summary made of a history, and what the call took: null if none was made. */
export interface Summarized {
  readonly turns: Turn[];
  readonly usage: Completion['usage'] | null;
  readonly warnings: readonly Warning[];
}

/**
 * One model call turns the oldest part into one `summary` turn: all but the first and the latest task and the
 * newest units.
 */
export async function summarizeHistory(
  request: CompactionRequest,
  dependencies: CompactionDependencies,
): Promise<Summarized> {
  const history = request.conversation_history;
  const units = readUnits(history);
  const tasks = units.filter((unit) => unit.type === 'user' && unit.isTask);
  const kept = new Set([tasks[0], tasks.at(-1), ...units.slice(-KEPT_UNITS)]);
  const old = units.filter((unit) => !kept.has(unit));
  if (old.every((unit) => unit.type === 'user' && !unit.isTask))
    return { turns: [...history], usage: null, warnings: [] };
  const shown = units.filter((unit) => unit === tasks[0] || unit === tasks.at(-1) || !kept.has(unit));
  const prompt = await summaryPrompt(shown, request, dependencies);
  const provider = dependencies.connect();
  const completion = withoutNul(
    await provider.complete(completionRequest(request, prompt), dependencies.deadline),
  );
  const { usage } = completion;
  const content = readProse(completion.text);
  const isUsable = content !== '' && completion.refusal === null && completion.finishReason !== 'refusal';
  if (!isUsable) return { turns: [...history], usage, warnings: [...completion.warnings, noSummary] };
  const turns = replaceTurns(history, new Set(old.flatMap(turnsOf)), {
    role: 'user',
    kind: 'summary',
    content,
  });
  const cutOff = completion.finishReason === 'length' ? [summaryTruncated] : [];
  return { turns, usage, warnings: [...completion.warnings, ...cutOff] };
}

const noSummary: Warning = {
  code: 'no_summary',
  message: 'The model gave no summary; the history is as it was.',
};

const summaryTruncated: Warning = {
  code: 'summary_truncated',
  message: 'The output limit cut the summary off; raise maxOutputTokens or the reserve.',
};

/** The history with one turn in place of the first of some, and without the others. */
function replaceTurns(history: readonly Turn[], replaced: ReadonlySet<number>, by: Turn): Turn[] {
  const [position] = [...replaced].sort((a, b) => a - b);
  return history.flatMap((turn, index) => [
    ...(index === position ? [by] : []),
    ...(replaced.has(index) ? [] : [turn]),
  ]);
}

/** What a unit of the transcript books of the event loop, and a character of it. */
const TRANSCRIBING = 256;
const WRITING = 1 / 8;

/** The old part as one fenced transcript, cut to what the budget of the call leaves. */
async function summaryPrompt(
  units: readonly Unit[],
  { llm_config: config }: CompactionRequest,
  { tokens, profile, deadline }: Pick<StepDependencies, 'tokens' | 'profile' | 'deadline'>,
): Promise<Prompt> {
  const framing = profile.framing.prompt + 2 * profile.framing.message;
  const fixed = (await tokens.count(summaryTemplate)) + framing;
  let text = '';
  for (const unit of units) {
    const transcribed = await transcribe(unit);
    await eventLoopShare.take(TRANSCRIBING + transcribed.length * WRITING, deadline.signal);
    text += transcribed;
  }
  const render = (shown: { text: string }) =>
    fenceInShares({ tag: 'observation', attributes: {}, text: shown.text });
  const limit = config.tokenLimit - config.reservedOutputTokens - fixed;
  const cut = limit > 0 ? await cutLines({ text, render }, limit, tokens) : undefined;
  if (!cut) throw budgetExceeded(config, fixed + SMALLEST_TRANSCRIPT);
  return layOutPrompt({
    system: summaryTemplate,
    example: [],
    context: [cut.rendered],
    history: [],
    tail: '',
  }).prompt;
}

async function transcribe(unit: Unit): Promise<string> {
  const speaker = { user: 'User', assistant: 'Agent' } as const;
  const messages = await renderInShares(unit, 'text');
  return messages
    .map(
      ({ role, parts }) =>
        `${speaker[role]}: ${parts.map((part) => ('text' in part ? part.text : '')).join('')}`,
    )
    .join('');
}
