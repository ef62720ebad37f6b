import { createHash } from 'node:crypto';
import type { ContextReport, ReportItem, ReportSection } from '../../contract/context-report.js';
import { turnsOf, type UnitAttachment } from '../../conversation/units.js';
import type { FittedPrompt } from './fit-to-budget.js';
import { withoutAttachments } from './history/attachments.js';
import { bareTokens } from './history/fold-history.js';
import { reportedTokens } from './history/provider-state.js';
import { tokensOfUnits, weighWholeUnits } from './history/unit-forms.js';
import type { LaidOutPrompt } from './prompt/lay-out-prompt.js';
import { attachmentsOf, countMessages } from './prompt/weigh-messages.js';
import type { Message, Part } from './provider.js';
import { attachmentItems, ignoredItems } from './report-attachments.js';
import { toolItems } from './report-tools.js';

export interface PromptReport {
  readonly report: ContextReport;
  readonly shouldCompact: boolean;
}

/**
 * If an uncut history uses at least this part of the tokens available for the history, `should_compact` is true
 * (rule: signals).
 */
const COMPACT_SHARE = 0.8;

/**
 * Reports which content the model sees and which was omitted. Tokens are counted on the messages as they are sent
 * (rule: context-report).
 */
export async function reportContext(
  fitted: FittedPrompt,
  { prompt, stable }: LaidOutPrompt,
): Promise<PromptReport> {
  const { situation, scale, context, tail, units, historyTokens } = fitted;
  const { tokenLimit, reservedOutputTokens } = situation.request.llm_config;
  const isEstimated =
    situation.protocol === 'native' || situation.replyFormat?.isCharged || prompt.messages.some(hasEstimate);
  const sections = sectionsOf(fitted, prompt.messages.length, await countMessages(prompt.messages, scale));
  const promptTokens = sections.reduce((sum, section) => sum + section.tokens, 0);
  return {
    report: {
      token_limit: tokenLimit,
      reserved_output_tokens: reservedOutputTokens,
      prompt_tokens: promptTokens,
      counting: isEstimated ? 'estimated' : scale.tokens.counting,
      stable_prefix_tokens: promptTokens - tail.tokens,
      stable_prompt_sha256: hashPrompt(prompt.system, stable),
      sections,
      items: [...context.items, ...tail.items, ...(await turnItems(fitted)), ...(await toolItems(fitted))],
      folders: [...context.folders],
    },
    shouldCompact: tokensOfUnits(units.map(({ weighed }) => weighed)) >= historyTokens * COMPACT_SHARE,
  };
}

/**
 * Returns whether a part of the message has tokens that are not counted by the service: a provider state or an
 * attachment.
 */
const hasEstimate = ({ parts }: Message): boolean =>
  parts.some(
    (part) =>
      (part.type === 'provider_state' && reportedTokens(part.state) !== undefined) ||
      attachmentsOf(part).some(({ isEstimated }) => isEstimated),
  );

/** Returns the SHA-256 of the text that is sent. Cache breakpoints do not affect it. */
export function hashPrompt(system: string, messages: readonly Message[]): string {
  const hash = createHash('sha256').update(system);
  for (const { role, parts } of messages) {
    hash.update(`\0${role}`);
    for (const part of parts) hash.update('\0').update(hashedText(part));
  }
  return hash.digest('hex');
}

function hashedText(part: Part): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'attachment') return hashedFile(part.attachment);
  if (part.type === 'tool_result')
    return `${part.callId} ${part.isError} ${part.text}${attachmentsOf(part).map(hashedFile).join('')}`;
  return JSON.stringify(part.type === 'provider_state' ? part.state : part);
}

const hashedFile = ({ media_type, data }: UnitAttachment): string => `\0${media_type},${data}`;

function sectionsOf(
  { fixed, scale, context, tail }: FittedPrompt,
  messageCount: number,
  sentTokens: number,
): ReportSection[] {
  const textTokens = sentTokens - messageCount * scale.framing.message;
  return [
    { name: 'instructions', tokens: fixed.instructions + fixed.example },
    { name: 'tools', tokens: fixed.tools },
    { name: 'context', tokens: context.tokens },
    { name: 'history', tokens: textTokens - fixed.example - context.tokens - tail.tokens },
    { name: 'tail', tokens: tail.tokens },
    { name: 'framing', tokens: scale.framing.prompt + (messageCount + 1) * scale.framing.message },
  ];
}

async function turnItems({ units, scale, situation }: FittedPrompt): Promise<ReportItem[]> {
  const items: ReportItem[] = [];
  for (const { weighed, form, leftOut } of units) {
    const { unit, whole } = weighed;
    const full = bareTokens(weighed) - weighed.placeholders;
    const original = unit === whole ? full : await weighWholeUnits([withoutAttachments(whole)], scale);
    const isCut = form === 'full' && full < original;
    const status = form !== 'full' ? form : isCut ? 'truncated' : 'included';
    items.push({
      kind: 'turn',
      id: turnsOf(unit).join('+'),
      status,
      reason: turnReasons[status],
      tokens: form === 'dropped' ? 0 : form === 'masked' ? weighed.masked : full,
      original_tokens: original,
      lines: null,
    });
    items.push(...attachmentItems(unit, form, leftOut));
  }
  return [...items, ...ignoredItems(situation.request.conversation_history)];
}

const turnReasons = {
  included: null,
  truncated: 'one text took more than its part of the history',
  masked: 'the history outgrew its share',
  dropped: 'the history outgrew its share',
} as const;
