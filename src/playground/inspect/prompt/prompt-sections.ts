import type { Preview } from '../../../sdk/index.js';

/**
 * A message, the system text or the tool definitions of a prompt, with the length of its beginning that the previous
 * prompt shares.
 */
export interface PromptMessage {
  readonly role:
    | 'tools'
    | 'system'
    | 'user'
    | 'assistant'
    | 'tool results'
    | 'example task'
    | 'example reply';
  readonly text: string;
  /**
   * Number of characters at the beginning of the text that equal the previous prompt; 0 in all messages after the
   * first one that differs.
   */
  readonly kept: number;
}

/** A section of a message: a fence with its content, or the text between two fences. */
export interface PromptSection {
  /** Title of the fence, such as `file src/total.ts`; null for text between fences. */
  readonly title: string | null;
  readonly start: number;
  readonly end: number;
}

type Prompt = Pick<Preview, 'system' | 'messages' | 'native_tools'>;

/** Splits a prompt into messages and measures the prefix shared with the previous prompt, which a vendor can cache. */
export function promptMessages(prompt: Prompt, before: Prompt | null): readonly PromptMessage[] {
  const former = before ? flat(before) : [];
  let isPrefix = before !== null;
  return flat(prompt).map(({ role, text }, index) => {
    const was = isPrefix ? former[index] : undefined;
    const kept = was?.role === role ? commonLength(was.text, text) : 0;
    isPrefix &&= was !== undefined && kept === text.length && was.text.length === text.length;
    return { role, text, kept };
  });
}

/** Lists the parts in the order in which vendors cache them. */
function flat({ system, messages, native_tools: tools }: Prompt): readonly Omit<PromptMessage, 'kept'>[] {
  const example = exampleOf(messages);
  return [
    ...(tools.length === 0 ? [] : [{ role: 'tools' as const, text: tools.map(asJson).join('\n') }]),
    ...(system === '' ? [] : [{ role: 'system' as const, text: system }]),
    ...example,
    ...messages.slice(example.length).map(({ role, content }) => ({
      role: tools.length > 0 && content.startsWith(TOOL_RESULT) ? ('tool results' as const) : role,
      text: content,
    })),
  ];
}

/** Separates the example question and reply that begin some conversations. */
function exampleOf([question, reply]: Prompt['messages']): readonly Omit<PromptMessage, 'kept'>[] {
  if (!question?.content.startsWith(EXAMPLE) || !reply) return [];
  return [
    { role: 'example task', text: question.content },
    { role: 'example reply', text: reply.content },
  ];
}

const EXAMPLE = 'An example of the form, which is not part of this task: ';

/** Beginning of a message with tool results in native tool calling. */
const TOOL_RESULT = '<observation tool="';

/** Omits `annotations`, which are not sent to the model. */
const asJson = ({ annotations: _, ...definition }: Preview['native_tools'][number]): string =>
  JSON.stringify(definition, null, 2);

/** Returns the length of the common prefix of two texts, without splitting a character. */
export function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  if (a.slice(0, most) === b.slice(0, most)) return most;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (a.slice(low, middle) === b.slice(low, middle)) low = middle;
    else high = middle;
  }
  return /[\uD800-\uDBFF]/.test(a.charAt(low - 1)) ? low - 1 : low;
}

/** Matches the opening tag of a fence on a line of its own; the closing tag repeats the value of `mark`. */
const OPENER = /^<(\w+)((?: [\w-]+="[^"\n]*")*) mark="([0-9a-f]+)">$/gm;

/** Splits a message into its fences and the text between them; all sections joined are the message. */
export function sectionsOf(text: string): readonly PromptSection[] {
  const sections: PromptSection[] = [];
  let done = 0;
  for (const opener of text.matchAll(OPENER)) {
    const [, tag = '', attributes = '', mark = ''] = opener;
    if (opener.index < done) continue;
    const closer = `\n</${tag} ${mark}>`;
    const close = text.indexOf(closer, opener.index);
    if (close < 0) continue;
    if (opener.index > done) sections.push({ title: null, start: done, end: opener.index });
    done = afterLine(text, close + closer.length);
    sections.push({ title: titleOf(tag, attributes), start: opener.index, end: done });
  }
  if (done < text.length || text === '') sections.push({ title: null, start: done, end: text.length });
  return sections;
}

const afterLine = (text: string, at: number): number => (text.charAt(at) === '\n' ? at + 1 : at);

/**
 * Formats a title such as `file src/total.ts, lines 1-2 of 2`; attributes other than `lines` contribute only their
 * values.
 */
function titleOf(tag: string, attributes: string): string {
  const values = [...attributes.matchAll(/ ([\w-]+)="([^"\n]*)"/g)].map(([, name, value]) =>
    name === 'lines' ? `lines ${value}` : value,
  );
  return `${tag.replaceAll('_', ' ')} ${values.join(', ')}`.trim();
}
