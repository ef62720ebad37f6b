import type { CompactionRequest } from '../../../contract/compaction.js';
import type { Turn } from '../../../contract/history.js';
import type { Warning } from '../../../contract/step.js';
import { KEPT_UNITS, readUnits, turnsOf, type Unit } from '../../../conversation/units.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import { readProse } from '../../../parsing/reply-text.js';
import { cutLines } from '../../context/cutting/cut-lines.js';
import { fence } from '../../context/fence.js';
import { budgetExceeded } from '../budget/share-budget.js';
import { completionRequest } from '../call-model.js';
import { withoutAttachments } from '../history/attachments.js';
import { withoutNul } from '../history/json-values.js';
import { layOutPrompt } from '../prompt/lay-out-prompt.js';
import { renderUnit } from '../prompt/render-unit.js';
import { summaryTemplate } from '../prompt/templates/orders.js';
import type { Completion, Prompt, Provider } from '../provider.js';
import type { StepDependencies } from '../step-dependencies.js';

export interface CompactionDependencies extends Pick<StepDependencies, 'tokens' | 'profile' | 'deadline'> {
  /** Connects to the provider. Called only before a model call. */
  readonly connect: () => Provider;
}

/** Minimum length of a transcript that is worth a model call to summarize it. */
const MIN_TRANSCRIPT_TOKENS = 64;

/** A history whose oldest part was replaced by a summary. `usage` is null if no model call was made. */
interface Summarized {
  readonly turns: Turn[];
  readonly usage: Completion['usage'] | null;
  readonly warnings: readonly Warning[];
}

/**
 * Replaces the oldest part of a history by one `summary` turn, written by one model call. Never replaces the first
 * task, the latest task or the newest units.
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
  const transcribed = units.filter((unit) => unit === tasks[0] || unit === tasks.at(-1) || !kept.has(unit));
  const prompt = await summaryPrompt(transcribed, request, dependencies);
  const promptTokens = await dependencies.tokens.count(textOf(prompt));
  const provider = dependencies.connect();
  const completion = withoutNul(
    await provider.complete(completionRequest(request, prompt, promptTokens), dependencies.deadline),
  );
  const { usage } = completion;
  const content = await readProse(completion.text, yieldIfBusy);
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

const textOf = ({ system, messages }: Prompt): string =>
  [system, ...messages.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))].join(
    '\n',
  );

const noSummary: Warning = {
  code: 'no_summary',
  message: 'The model wrote no summary; the history is unchanged.',
};

const summaryTruncated: Warning = {
  code: 'summary_truncated',
  message: 'The summary was cut off by the output limit; raise maxOutputTokens or reservedOutputTokens.',
};

/** Puts one turn in the place of the first replaced turn, and removes the other replaced turns. */
function replaceTurns(history: readonly Turn[], replaced: ReadonlySet<number>, by: Turn): Turn[] {
  const [position] = [...replaced].sort((a, b) => a - b);
  return history.flatMap((turn, index) => [
    ...(index === position ? [by] : []),
    ...(replaced.has(index) ? [] : [turn]),
  ]);
}

/** Renders the units as one fenced transcript that fits the token budget of the call. */
async function summaryPrompt(
  units: readonly Unit[],
  { llm_config: config }: CompactionRequest,
  { tokens, profile, deadline }: Pick<StepDependencies, 'tokens' | 'profile' | 'deadline'>,
): Promise<Prompt> {
  const framing = profile.framing.prompt + 2 * profile.framing.message;
  const fixed = (await tokens.count(summaryTemplate)) + framing;
  let text = '';
  for (const unit of units) {
    await yieldIfBusy(deadline.signal);
    text += transcribe(unit);
  }
  const render = (cut: { text: string }) => fence({ tag: 'observation', attributes: {}, text: cut.text });
  const limit = { tokens: config.tokenLimit - config.reservedOutputTokens - fixed, counter: tokens };
  const cut = limit.tokens > 0 ? await cutLines({ text, render }, limit) : undefined;
  if (!cut) throw budgetExceeded(config, fixed + MIN_TRANSCRIPT_TOKENS);
  return layOutPrompt({
    system: summaryTemplate,
    example: [],
    context: [cut.rendered],
    history: [],
    tail: '',
  }).prompt;
}

function transcribe(unit: Unit): string {
  const speaker = { user: 'User', assistant: 'Agent' } as const;
  return renderUnit(withoutAttachments(unit), 'text')
    .map(
      ({ role, parts }) =>
        `${speaker[role]}: ${parts.map((part) => ('text' in part ? part.text : '')).join('')}`,
    )
    .join('');
}
