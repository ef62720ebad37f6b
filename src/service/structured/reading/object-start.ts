/** The keys that a reply object may begin with. */
const keys = [
  'thought',
  'reasoning',
  'action',
  'final_answer',
  'plan',
  'tools_to_consider',
  'finish',
  'observation',
  'should_continue',
];

/** A longer beginning is not waited for. */
const LONGEST_START = 256;

const start = new RegExp(
  `\\s{0,64}(?:\`{3,}(?:json)?[ \\t]{0,16}\\r?\\n\\s{0,64})?\\{\\s{0,64}"(?:${keys.join('|')})"\\s{0,64}:`,
  'iy',
);

/** Where a reply object begins, with the fence that wraps it; `brace` is null while too little is there to tell. */
export interface ObjectStart {
  readonly at: number;
  readonly brace: number | null;
}

/**
 * The first place in a text at the beginning of a line, or after a tag, where a reply object begins or may begin;
 * `before` are the two characters in front of the text.
 */
export function findObjectStart(text: string, before: string): ObjectStart | null {
  for (let at = 0; at < text.length; at += 1) {
    if (!isStart(text, at, before)) continue;
    start.lastIndex = at;
    if (start.test(text)) return { at, brace: text.indexOf('{', at) };
    if (text.length - at <= LONGEST_START && mayGoOn(text.slice(at))) return { at, brace: null };
  }
  return null;
}

/** Words for the model where a reply object stands in a line of prose, so that it was not read (rule: closing-fence). */
export function describeMeantObject(answer: string): string | null {
  return /\{\s{0,64}"(?:thought|action|final_answer)"\s{0,64}:/.test(answer) && !quotes.test(answer)
    ? 'if you meant to act or to answer, write the object by itself: it stands in other text, so it was taken for an example'
    : null;
}

/** A quotation: nothing in it was meant. */
const quotes = /^[ \t]{0,16}(?:>|<(?:file|observation)\b)/im;

function isStart(text: string, at: number, before: string): boolean {
  const last = at > 0 ? text.charAt(at - 1) : before.slice(-1);
  if (last === '' || last === '\n') return true;
  return (
    last === '>' && /\w|\|/.test(at > 1 ? text.charAt(at - 2) : (before + text.slice(0, at)).slice(-2, -1))
  );
}

/** Whether a reply object may begin with a text that is all there is. */
function mayGoOn(text: string): boolean {
  const fence = /^\s*`{3,}(?:json)?[ \t]*\r?\n/i.exec(text)?.[0] ?? '';
  const rest = text.slice(fence.length).trimStart();
  if (fence === '' && /^(?:`{1,2}|`{3,}(?:j|js|jso|json)?[ \t]*\r?)$/i.test(rest)) return true;
  const key = /^\{\s*(?:"(\w*)("?)\s*)?$/.exec(rest);
  if (!key) return rest === '';
  const [, name = '', quote] = key;
  return keys.some((each) => (quote ? each === name.toLowerCase() : each.startsWith(name.toLowerCase())));
}
