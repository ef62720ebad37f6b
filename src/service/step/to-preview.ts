import type { Preview } from '../../contract/preview.js';
import type { RecordedStep } from '../../contract/recorded-step.js';
import type { ToolDefinition } from '../../contract/tool.js';
import type { UnitAttachment } from '../../conversation/units.js';
import { nativeDefinitions } from './prompt/answer-type.js';
import { attachmentsOf } from './prompt/weigh-messages.js';
import type { Message, Part, Prompt } from './provider.js';
import type { RenderedPrompt } from './render-prompt.js';
import { hashPrompt } from './report-context.js';

/** The response to a preview, without the request id. */
export type PreviewResult = Omit<Preview, 'request_id'>;

/** Returns the prompt as the model reads it. Native calls are shown as JSON. */
export function toPreview({ situation, prompt, report }: RenderedPrompt): PreviewResult {
  const definitions = situation.protocol === 'native' ? nativeDefinitions(situation) : [];
  return {
    ...readablePrompt(prompt, definitions),
    context_report: report,
    warnings: [...situation.warnings],
  };
}

/** Returns a prompt and its native tools as text, with the prompt's hash. */
export function readablePrompt(
  { system, messages }: Prompt,
  nativeTools: readonly ToolDefinition[],
): RecordedStep['prompt'] {
  return {
    system,
    messages: messages.map((message) => ({ role: message.role, content: contentOf(message) })),
    native_tools: [...nativeTools],
    prompt_sha256: hashPrompt(system, messages),
  };
}

function contentOf({ parts }: Message): string {
  return parts.map((part) => contentOfPart(part) + attachmentsOf(part).map(placeholder).join('')).join('');
}

function contentOfPart(part: Part): string {
  if (part.type === 'attachment') return '';
  return 'text' in part ? part.text : `${JSON.stringify(part)}\n`;
}

/** Returns the text that a preview shows in place of an attachment, whose data would be unreadable. */
const placeholder = ({ media_type, data, tokens }: UnitAttachment): string =>
  `[${media_type}, ${Buffer.byteLength(data, 'base64')} bytes, ${tokens} tokens]\n`;
