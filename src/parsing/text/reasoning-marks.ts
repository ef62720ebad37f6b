import { escaped, FixedWords, isOneOf, skipSpace } from './characters.js';

/**
 * The marks (opening and closing delimiters) around the reasoning of some model families. Each of the closing
 * marks ends reasoning that any of the opening marks began.
 */
export interface ReasoningMarks {
  readonly open: readonly string[];
  readonly close: readonly string[];
  /** Closing marks that end reasoning even if the opening mark is missing, since they have no other meaning. */
  readonly orphanClose: readonly string[];
}

const plainNames = ['think', 'thinking', 'thought', 'reasoning'].flatMap((name) => [
  name,
  name.charAt(0).toUpperCase() + name.slice(1),
  name.toUpperCase(),
]);

/** Creates an entry whose closing marks have no other meaning. */
const row = (open: readonly string[], close: readonly string[]): ReasoningMarks => ({
  open,
  close,
  orphanClose: close,
});

const plainRow = row(
  plainNames.map((name) => `<${name}>`),
  plainNames.map((name) => `</${name}>`),
);

const harmonyFinal = ['', '<|start|>assistant'].map((role) => `${role}<|channel|>final<|message|>`);

/** Reasoning marks of all model families (rule: thinking). */
export const reasoningMarks: readonly ReasoningMarks[] = [
  plainRow,
  row(['[THINK]'], ['[/THINK]']),
  row(['<seed:think>'], ['</seed:think>']),
  row(['<mm:think>'], ['</mm:think>']),
  row(['<longcat_think>'], ['</longcat_think>']),
  row(['<scratch_pad>'], ['</scratch_pad>']),
  row(['<scratchpad>'], ['</scratchpad>']),
  row(['<reflection>'], ['</reflection>']),
  row(['◁think▷'], ['◁/think▷']),
  row(['<|START_THINKING|>'], ['<|END_THINKING|>']),
  row(['<|inner_prefix|>'], ['<|inner_suffix|>']),
  row(['<|channel>thought'], ['<channel|>']),
  row(['<|open|>think<|sep|>'], ['<|close|>think<|sep|>']),
  row(
    ['<ifm|think>', '<ifm|think_fast>', '<ifm|think_faster>'],
    ['</ifm|think>', '</ifm|think_fast>', '</ifm|think_faster>'],
  ),
  row(['<|plamo:begin_think:plamo|>'], ['<|plamo:end_think:plamo|>']),
  row(['[unused16]'], ['[unused17]']),
  row(['<|think:start|>'], ['<|think:end|>']),
  row(['<|thought_start|>'], ['<|thought_end|>']),
  row(['<|begin_of_thought|>'], ['<|end_of_thought|>']),
  {
    // Harmony: the header of the final channel is part of the closing mark, so that the reply itself begins after it.
    open: ['<|channel|>analysis<|message|>'],
    close: [
      ...harmonyFinal.map((header) => `<|end|>${header}`),
      ...harmonyFinal,
      '<|end|><|start|>assistant',
      '<|end|>',
    ],
    orphanClose: harmonyFinal,
  },
  {
    open: ['<|content_thinking|>'],
    close: ['<|end_message|><|message_model|><|content_text|>', '<|content_text|>', '<|end_message|>'],
    orphanClose: [],
  },
  {
    open: ['<|im_start|>assistant/think'],
    close: ['<|im_end|>\n<|im_start|>assistant', '<|im_end|>'],
    orphanClose: [],
  },
  {
    open: ['<|start|>assistant to=self<|message|>'],
    close: ['<|eom|><|start|>assistant to=user<|message|>', '<|eom|>'],
    orphanClose: [],
  },
];

const forms = [' is', "'s", '’s'];

/**
 * Reasoning marks that are recognised only at the start of a reply, because a server removed words or tokens before
 * them.
 */
const leadingMarks: readonly {
  readonly open: readonly string[];
  readonly close: readonly string[];
  readonly needsClose: boolean;
}[] = [
  {
    open: ['to=self<|message|>'],
    close: ['<|eom|><|start|>assistant to=user<|message|>', '<|eom|>'],
    needsClose: false,
  },
  {
    open: forms.map((is) => `Here${is} my thought process:`),
    close: forms.map((is) => `Here${is} my response:`),
    needsClose: true,
  },
];

/**
 * Returns the source of a regular expression that matches any of the words, or any of the patterns in `more`. Longer
 * words come first, so that a mark is preferred to one with which it begins.
 */
const anyOf = (words: readonly string[], more: readonly string[] = []): string => {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  return `(?:${[...longestFirst.map(escaped), ...more].join('|')})`;
};

/**
 * Words that may open reasoning only at the start of a reply. A stream holds back a reply that begins with them until
 * its end.
 */
const leadingWords = ['analysis', ...leadingMarks.flatMap(({ open }) => open)];
const leadingPatterns = [
  // Harmony without its tokens. The word `analysis` alone may begin any sentence, so the closing mark must follow.
  {
    open: /analysis(?=[^a-z]|assistant)/y,
    close: /assistantfinal|assistant(?=(?:commentary|analysis)? ?to=)|(?=commentary ?to=functions\.)/g,
    needsClose: true,
  },
  ...leadingMarks.map(({ open, close, needsClose }) => ({
    open: new RegExp(anyOf(open), 'y'),
    close: new RegExp(anyOf(close), 'g'),
    needsClose,
  })),
];

const rowsByOpener = new Map(
  reasoningMarks.flatMap((marks) => marks.open.map((open) => [open, marks] as const)),
);
export const reasoningOpeners = [...rowsByOpener.keys()];
export const orphanClosers = reasoningMarks.flatMap(({ orphanClose }) => orphanClose);
const openerWords = new FixedWords(reasoningOpeners, 2);
const closerWords = new Map(reasoningMarks.map((marks) => [marks, new FixedWords(marks.close, 1)]));

/** Matches the `<think:…>` tag of Hunyuan, whose suffix differs between models, or its closing tag. */
const suffixed = /<(\/?)think:[\w.-]{0,40}(>?)/y;

export interface ReasoningMark {
  readonly kind: 'think' | 'think_end';
  readonly end: number;
}

/** Returns the `<think:…>` tag at `position`; `'partial'` if more text could complete it. */
export function suffixedTagAt(text: string, position: number): ReasoningMark | 'partial' | null {
  suffixed.lastIndex = position;
  const tag = suffixed.exec(text);
  if (!tag) return null;
  const end = position + tag[0].length;
  if (tag[2] === '') return end >= text.length ? 'partial' : null;
  return { kind: tag[1] === '' ? 'think' : 'think_end', end };
}

/** Returns the entry of `reasoningMarks` whose opening mark is at `position`; null if there is none. */
export function openedReasoning(text: string, position: number): ReasoningMarks | null {
  const opener = openerWords.at(text, position);
  if (opener !== undefined) return rowsByOpener.get(opener) ?? null;
  const tag = suffixedTagAt(text, position);
  return tag !== null && tag !== 'partial' && tag.kind === 'think' ? plainRow : null;
}

/**
 * Returns the end of the closing mark at `position`, if it is one of `marks`; `'partial'` if more text could
 * complete or extend it.
 */
export function reasoningCloseAt(
  text: string,
  position: number,
  marks: ReasoningMarks,
): number | 'partial' | null {
  const words = closerWords.get(marks);
  if (position + 1 >= text.length || words?.isUnderWay(text, position)) return 'partial';
  const closer = words?.at(text, position);
  if (closer !== undefined) return position + closer.length;
  const tag = marks === plainRow ? suffixedTagAt(text, position) : null;
  if (tag === null || tag === 'partial') return tag;
  return tag.kind === 'think_end' ? tag.end : null;
}

const SUFFIXED_OPEN = '<think:[\\w.-]{1,40}>';
const SUFFIXED_CLOSE = '</think:[\\w.-]{1,40}>';
const orphanPattern = new RegExp(anyOf(orphanClosers, [SUFFIXED_CLOSE]), 'g');
const patterns = new Map(
  reasoningMarks.map((marks) => [
    marks,
    {
      open: new RegExp(anyOf(marks.open, marks === plainRow ? [SUFFIXED_OPEN] : []), 'g'),
      close: new RegExp(anyOf(marks.close, marks === plainRow ? [SUFFIXED_CLOSE] : []), 'g'),
    },
  ]),
);

/** The start and end of a match in a text. */
type Place = readonly [start: number, end: number];

/** Returns the next closing mark that is one of `marks` (rule: thinking). */
export function nextReasoningClose(text: string, from: number, marks: ReasoningMarks): Place | null {
  const close = patterns.get(marks)?.close;
  return close ? nextMatch(close, text, from) : null;
}

/**
 * Returns the next closing mark that ends reasoning whose opening mark is missing: no opening mark of the same
 * entry is before it.
 */
export function nextOrphanClose(text: string, from: number): Place | null {
  const close = nextMatch(orphanPattern, text, from);
  if (close === null) return null;
  const word = text.slice(...close);
  const marks = reasoningMarks.find((each) => each.close.includes(word)) ?? plainRow;
  const open = patterns.get(marks)?.open;
  const opened = open ? nextMatch(open, text, from) : null;
  return opened !== null && opened[0] < close[0] ? null : close;
}

/**
 * Returns the end of reasoning whose opening mark is recognised only at the start of a reply; null if there is none.
 */
export function leadingReasoningEnd(text: string, position: number): number | null {
  for (const { open, close, needsClose } of leadingPatterns) {
    open.lastIndex = skipSpace(text, position);
    if (!open.test(text)) continue;
    const end = nextMatch(close, text, open.lastIndex)?.[1] ?? null;
    return end === null && !needsClose ? text.length : end;
  }
  return null;
}

/**
 * Returns whether the text at `position` may open reasoning with words that do so only at the start of a reply, such as
 * `analysis` or `Here is my thought process:`; `'partial'` if more text is needed to decide.
 */
export function mayLeadReasoning(text: string, position: number): boolean | 'partial' {
  const begun = leadingWords.filter((word) => word.startsWith(text.slice(position, position + word.length)));
  if (begun.some((word) => text.length - position >= word.length)) return true;
  return begun.length > 0 ? 'partial' : false;
}

const openers = [...reasoningOpeners, ...leadingMarks.flatMap(({ open }) => open)];
const closers = [...reasoningMarks, ...leadingMarks].flatMap(({ close }) => close);
const around = new RegExp(`^${anyOf(openers, [SUFFIXED_OPEN])}|${anyOf(closers, [SUFFIXED_CLOSE])}$`, 'g');
const unmarkedHarmony = /^analysis(?=[^a-z]|assistant)([\s\S]*?)(?:assistant(?:final)?)?$/;

/** Removes the opening and closing mark around a block of reasoning. */
export function withoutMarks(block: string): string {
  return block.trim().replace(unmarkedHarmony, '$1').replace(around, '').trim();
}

/** Whether the character is one with which a tag or token that has a meaning may begin. */
export const beginsMark = (text: string, position: number): boolean => isOneOf('<[]◁', text, position);

function nextMatch(pattern: RegExp, text: string, from: number): Place | null {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match && [match.index, match.index + match[0].length];
}
