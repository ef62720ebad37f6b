import type { Part } from '../../step/provider.js';

type UnitAttachment = Extract<Part, { type: 'attachment' }>['attachment'];

export type ContentPart = Extract<Part, { type: 'text' | 'attachment' }>;

/** The form of texts and files in a message of one of OpenAI's APIs. */
export interface ContentForm<Text extends string, File extends object> {
  readonly text: Text;
  readonly file: (attachment: UnitAttachment) => File;
}

/** An item of a content list that may carry a cache breakpoint: the provider caches the prompt up to its end. */
type Marked<Item extends object> = Item & { prompt_cache_breakpoint?: { mode: 'explicit' } };

type WrittenPart<Text extends string, File extends object> = Marked<{ type: Text; text: string } | File>;

/** A function that writes parts as the content of a message. */
export type ContentOf<Text extends string, File extends object> = (
  parts: readonly ContentPart[],
) => string | WrittenPart<Text, File>[];

/**
 * Returns a function that writes parts as the content of a message. If there are only texts, they become one string.
 * With attachments or breakpoints, the content is a list, and the text before each attachment or breakpoint is one
 * item.
 */
export const contentWriter =
  <Text extends string, File extends object>(
    form: ContentForm<Text, File>,
    breakpoints: boolean,
  ): ContentOf<Text, File> =>
  (parts) => {
    const marks = (part: ContentPart) => breakpoints && part.breakpoint === true;
    const needsList = parts.some((part) => part.type === 'attachment' || (marks(part) && part.text !== ''));
    if (needsList) return listParts(parts, form, marks);
    return textsAlone(parts)
      .map(({ text }) => text)
      .join('');
  };

function listParts<Text extends string, File extends object>(
  parts: readonly ContentPart[],
  form: ContentForm<Text, File>,
  marks: (part: ContentPart) => boolean,
): WrittenPart<Text, File>[] {
  const content: WrittenPart<Text, File>[] = [];
  let begun = '';
  const endText = (marked = false): void => {
    if (begun !== '') content.push({ type: form.text, text: begun, ...(marked && mark) });
    begun = '';
  };
  for (const part of parts) {
    if (part.type === 'text') {
      begun += part.text;
      if (marks(part)) endText(true);
    } else {
      endText();
      content.push({ ...form.file(part.attachment), ...(marks(part) && mark) });
    }
  }
  endText();
  return content;
}

const mark = { prompt_cache_breakpoint: { mode: 'explicit' as const } };

/** Returns the texts and attachments of a message, without empty texts. */
export const contentOfParts = (parts: readonly Part[]): ContentPart[] =>
  parts.flatMap((part) =>
    part.type === 'attachment' || (part.type === 'text' && part.text !== '') ? [part] : [],
  );

const textsAlone = (parts: readonly ContentPart[]) => parts.filter((part) => part.type === 'text');

/** Returns the content of a tool result: its text, then its attachments. */
export function contentOfResult(result: Extract<Part, { type: 'tool_result' }>): ContentPart[] {
  const { text, attachments = [], breakpoint = false } = result;
  const ends = attachments.length - 1;
  return [
    { type: 'text', text, breakpoint: breakpoint && ends < 0 },
    ...attachments.map((attachment, at) => ({
      type: 'attachment' as const,
      attachment,
      breakpoint: breakpoint && at === ends,
    })),
  ];
}

/** Returns a message content without breakpoints, for a model that refuses them. */
export function withoutMarks(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  if (content.every((part: object) => 'text' in part))
    return content.map(({ text }) => String(text)).join('');
  return content.map(({ prompt_cache_breakpoint: _, ...part }) => part);
}

/** Returns the data URL of an attachment. */
export const dataUrl = ({ media_type, data }: UnitAttachment): string => `data:${media_type};base64,${data}`;

export const isPdf = ({ media_type }: UnitAttachment): boolean => media_type === 'application/pdf';

/** File name of a PDF, which OpenAI requires. The caller's own name for the file is unknown. */
export const PDF_NAME = 'document.pdf';
