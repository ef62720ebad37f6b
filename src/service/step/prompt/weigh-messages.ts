import type { UnitAttachment } from '../../../conversation/units.js';
import type { CountedMessage, TokenCounter } from '../../../tokens/token-counter.js';
import { reportedTokens } from '../history/provider-state.js';
import type { Message, ModelProfile, Part } from '../provider.js';
import type { PromptDependencies } from '../step-dependencies.js';
import type { TaughtProtocol } from '../types.js';

/** Settings for rendering the texts of this request and counting their tokens. */
export interface Scale {
  readonly tokens: TokenCounter;
  readonly framing: ModelProfile['framing'];
  readonly margin: ModelProfile['countMargin'];
  readonly protocol: TaughtProtocol;
  /** Aborts rendering when the step ends. The token counter uses the same signal. */
  readonly signal: AbortSignal;
}

export function scaleOf(
  { tokens, profile, deadline }: Pick<PromptDependencies, 'tokens' | 'profile' | 'deadline'>,
  protocol: TaughtProtocol,
): Scale {
  const { framing, countMargin: margin } = profile;
  return { tokens, framing, margin, protocol, signal: deadline.signal };
}

/** Estimated maximum number of tokens that a provider adds around a native call or a result (rule: counting). */
const NATIVE_PART_FRAMING = 12;

/**
 * Maximum number of extra tokens where a text is joined with one that begins with white space or `/`. Other joins add
 * no tokens.
 */
const SEAM_SLACK = 4;

/** Counts the tokens of messages as they are sent, including the chat format (rule: counting). */
export async function countMessages(
  messages: readonly Message[],
  { tokens, framing }: Pick<Scale, 'tokens' | 'framing'>,
): Promise<number> {
  let sum = 0;
  for (const message of messages) {
    sum += await tokens.countMessages([toCounted(message, framing.message)]);
  }
  return sum;
}

/**
 * Returns an upper bound of the tokens that messages add to a prompt. The exact number is unknown, because they
 * may still be merged with adjacent ones.
 */
export async function weighMessages(messages: readonly Message[], scale: Scale): Promise<number> {
  const seams = messages.filter(({ parts: [first] }) => first?.type === 'text' && /^[\s/]/.test(first.text));
  return (await countMessages(messages, scale)) + seams.length * SEAM_SLACK;
}

/**
 * Joins adjacent texts before counting, because the model reads them as one; counts every other part separately. Adds
 * the tokens of attachments and those that a provider reported for its state.
 */
function toCounted({ parts }: Message, framing: number): CountedMessage {
  const texts: string[][] = [];
  let natives = 0;
  let reported = 0;
  for (const [index, part] of parts.entries()) {
    if (part.type !== 'text' && part.type !== 'attachment') natives += 1;
    if (part.type === 'provider_state') reported += reportedTokens(part.state) ?? 0;
    for (const { tokens } of attachmentsOf(part)) reported += tokens;
    const isJoined = part.type === 'text' && parts[index - 1]?.type === 'text';
    if (isJoined) texts.at(-1)?.push(countedText(part));
    else texts.push([countedText(part)]);
  }
  return { texts, framing: framing + reported + natives * NATIVE_PART_FRAMING };
}

/** Returns the attachments that a part of a message contains. */
export function attachmentsOf(part: Part): readonly UnitAttachment[] {
  if (part.type === 'attachment') return [part.attachment];
  return (part.type === 'tool_result' && part.attachments) || [];
}

function countedText(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'tool_result':
      return part.text;
    case 'tool_call':
      return part.name + JSON.stringify(part.arguments);
    case 'provider_state':
      return reportedTokens(part.state) === undefined ? JSON.stringify(part.state) : '';
    case 'attachment':
      return '';
  }
}
