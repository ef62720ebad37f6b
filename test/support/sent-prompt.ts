import type { RecordedRequest } from '../../src/offline/wire/reply.js';

export interface SentMessage {
  readonly role: string;
  /** The joined texts, as the model reads them. Native calls and results are in JSON. */
  readonly text: string;
}

/**
 * Returns the messages that a provider received, in any vendor's format, without cache control fields. The system text
 * is the first message.
 */
export function sentPrompt({ body }: RecordedRequest): SentMessage[] {
  const system = body['system'] === undefined ? [] : [{ role: 'system', content: body['system'] }];
  const messages: unknown = body['messages'];
  return [...system, ...(Array.isArray(messages) ? messages : [])].map(({ role, content, ...rest }) => ({
    role: String(role),
    text: textOf(content) + (Object.keys(rest).length > 0 ? JSON.stringify(rest) : ''),
  }));
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map(textOfBlock).join('') : '';
}

function textOfBlock({ cache_control: _, prompt_cache_breakpoint: __, ...block }: Block): string {
  return block['type'] === 'text' ? String(block['text']) : `${JSON.stringify(block, withoutMarks)}\n`;
}

type Block = Record<string, unknown>;

const withoutMarks = (key: string, value: unknown) => (key === 'cache_control' ? undefined : value);
