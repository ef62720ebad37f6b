import { createHash, type Hash, hash as hashAtOnce } from 'node:crypto';
import type { ContextReport, ReportItem, ReportSection } from '../../../contract/context-report.js';
import { turnsOf } from '../../../conversation/units.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import type { FittedPrompt } from '../fit-to-budget.js';
import { type CutUnit, tokensOfUnits, weighUnits, weighWholeUnits } from '../history/unit-forms.js';
import { stateText, tokensOfMessages } from '../prompt/weigh-messages.js';
import type { Message, Part } from '../provider.js';
import type { RenderedPrompt } from '../render-prompt.js';

/** What can be said of a prompt once all of it is counted. */
export interface PromptReport {
  readonly report: ContextReport;
  /** Four fifths of the history's share are used before anything is cut (rule: signals). */
  readonly shouldCompact: boolean;
}

const COMPACT_SHARE = 0.8;

/** What the model sees and what it does not (rule: context-report): counted on the messages as they are sent. */
export async function reportPrompt(rendered: RenderedPrompt): Promise<PromptReport> {
  const { units: bounded, scale, share } = rendered.fitted;
  const units = await weighUnits(bounded, scale);
  const report = await reportContext(rendered, units);
  return { report, shouldCompact: tokensOfUnits(units) >= share * COMPACT_SHARE };
}

async function reportContext(
  { fitted, prompt, stable }: RenderedPrompt,
  units: readonly CutUnit[],
): Promise<ContextReport> {
  const { situation, scale, context, tail } = fitted;
  const { tokenLimit, reservedOutputTokens } = situation.request.llm_config;
  const sections = sectionsOf(fitted, prompt.messages.length, await tokensOfMessages(prompt.messages, scale));
  const promptTokens = sections.reduce((sum, section) => sum + section.tokens, 0);
  return {
    token_limit: tokenLimit,
    reserved_output_tokens: reservedOutputTokens,
    prompt_tokens: promptTokens,
    counting:
      situation.protocol === 'native' || situation.replyFormat?.isCharged
        ? 'estimated'
        : scale.tokens.counting,
    stable_prefix_tokens: promptTokens - tail.tokens,
    stable_prompt_sha256: await hashPrompt(prompt.system, stable),
    sections,
    items: [...context.items, ...tail.items, ...(await turnItems(units, fitted))],
    folders: [...context.folders],
  };
}

/** Hashed at a time: a long history costs more in calls than in hashing. */
const HASHED_AT_ONCE = 64 * 1024;
/** What hashing a character of a long prompt books of the event loop. */
const HASHING = 1 / 4;

/** The hash of what is sent: text for text, without cache marks. */
export async function hashPrompt(system: string, messages: readonly Message[]): Promise<string> {
  let hash: Hash | undefined; // most prompts are hashed in one go, without one
  let words = system;
  for (const { role, parts } of messages) {
    words += `\0${role}`;
    for (const part of parts) {
      words += `\0${wordsOf(part)}`;
      if (words.length < HASHED_AT_ONCE) continue;
      hash ??= createHash('sha256');
      hash.update(words);
      await eventLoopShare.spent(words.length * HASHING);
      words = '';
    }
  }
  return hash ? hash.update(words).digest('hex') : hashAtOnce('sha256', words, 'hex');
}

/** Of a fence its digest: files and observations need not be read once more. */
function wordsOf(part: Part): string {
  if (part.type === 'text') return part.digest ?? part.text;
  if (part.type === 'tool_result') return `${part.callId} ${part.isError} ${part.digest ?? part.text}`;
  return part.type === 'provider_state' ? stateText(part) : JSON.stringify(part);
}

function sectionsOf(
  { fixed, scale, context, tail }: FittedPrompt,
  messages: number,
  sent: number,
): ReportSection[] {
  const said = sent - messages * scale.framing.message;
  return [
    { name: 'instructions', tokens: fixed.instructions + fixed.example },
    { name: 'tools', tokens: fixed.tools },
    { name: 'context', tokens: context.tokens },
    { name: 'history', tokens: said - fixed.example - context.tokens - tail.tokens },
    { name: 'tail', tokens: tail.tokens },
    { name: 'framing', tokens: scale.framing.prompt + (messages + 1) * scale.framing.message },
  ];
}

async function turnItems(
  units: readonly CutUnit[],
  { fold, scale }: Pick<FittedPrompt, 'fold' | 'scale'>,
): Promise<ReportItem[]> {
  const items: ReportItem[] = [];
  for (const [index, weighed] of units.entries()) {
    const form = fold.forms[index] ?? 'full';
    const { unit, whole, full } = weighed;
    const original = unit === whole ? full : await weighWholeUnits([whole], scale);
    const isCut = form === 'full' && full < original;
    const status = form !== 'full' ? form : isCut ? 'truncated' : 'included';
    items.push({
      kind: 'turn',
      id: turnsOf(unit).join('+'),
      status,
      reason: turnReasons[status],
      tokens: form === 'dropped' ? 0 : weighed[form],
      original_tokens: original,
      lines: null,
    });
  }
  return items;
}

const turnReasons = {
  included: null,
  truncated: 'one text took more than its part of the history',
  masked: 'the history outgrew its share',
  dropped: 'the history outgrew its share',
} as const;
