import type { Preview } from '../../../sdk/index.js';

/** The tool definitions, the system text or a message of a prompt, and how much of its beginning the step before sent too. */
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
  /** In characters, from the first. All of it only if the next message is looked at too. */
  readonly kept: number;
}

/** A part of a message: a fence with what it holds, or the text between two. */
export interface PromptSection {
  /** What the fence is, such as `file src/total.ts`; null for text between fences. */
  readonly title: string | null;
  readonly start: number;
  readonly end: number;
}

type Prompt = Pick<Preview, 'system' | 'messages' | 'native_tools'>;

/** The prompt's messages, and what they have in common with the prompt before: what a vendor's cache can keep. */
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

/** In the order in which caches take it. */
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

/** The question and the reply with which the conversation begins where the model is shown an example of acting. */
function exampleOf([question, reply]: Prompt['messages']): readonly Omit<PromptMessage, 'kept'>[] {
  if (!question?.content.startsWith(EXAMPLE) || !reply) return [];
  return [
    { role: 'example task', text: question.content },
    { role: 'example reply', text: reply.content },
  ];
}

const EXAMPLE = 'An example of the form, which is not part of this task: ';

/** What a result of native calling begins with, as all of a tool's results do: its fence. */
const TOOL_RESULT = '<observation tool="';

/** Without what is the caller's alone. */
const asJson = ({ annotations: _, ...definition }: Preview['native_tools'][number]): string =>
  JSON.stringify(definition, null, 2);

/** Of two texts, up to the last whole character that both begin with. */
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

/** The opening tag of one of the service's fences, on a line of its own; its mark is repeated by the closing tag. */
const OPENER = /^<(\w+)((?: [\w-]+="[^"\n]*")*) mark="([0-9a-f]+)">$/gm;

/** The fences of a message and what stands between them; joined they are the message. */
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

/** `file src/total.ts, lines 1-2 of 2`; of other attributes only the value. */
function titleOf(tag: string, attributes: string): string {
  const values = [...attributes.matchAll(/ ([\w-]+)="([^"\n]*)"/g)].map(([, name, value]) =>
    name === 'lines' ? `lines ${value}` : value,
  );
  return `${tag.replaceAll('_', ' ')} ${values.join(', ')}`.trim();
}
