import { escaped, matchEnd } from '../text/characters.js';

/** The texts with which a tag or token can begin. Its full pattern is tried only where one of them is found. */
export interface Beginnings {
  /** Fixed texts with which it begins. */
  readonly words: readonly string[];
  /** Matches further beginnings that no fixed text covers, such as a tag with a namespace. */
  readonly otherwise?: RegExp;
}

/** Whether a tag or token with these beginnings may be at `position`. */
export function mayBeginAt({ words, otherwise }: Beginnings, text: string, position: number): boolean {
  return (
    words.some((word) => text.startsWith(word, position)) ||
    (otherwise !== undefined && matchEnd(otherwise, text, position) !== null)
  );
}

/**
 * An opening mark: a tag or token such as `<tool_call>` that opens a call, or a section of calls, in the native format
 * of a model family. The text after the mark decides the syntax; a mark alone does not make a call. Most marks are
 * fixed texts; some have a prefix or a suffix that differs between models.
 */
interface MarkRow extends Beginnings {
  /** Matches the mark. The tags inside the call repeat the prefix (group `p`) and the suffix (group `s`). */
  readonly open: RegExp;
  /**
   * True if the mark is recognised only at the start of a line, or inside a block of calls that began earlier on the
   * line, since its text may occur in any sentence.
   */
  readonly startsLine?: boolean;
  /** True if the mark is only a label of a code fence. JSON in that fence is then reported as JSON without a mark. */
  readonly labelsFence?: boolean;
  /** True if prompts define the tools in the tag, so that a definition in it is no broken call. */
  readonly definesTools?: boolean;
  /**
   * True if the tag often contains other texts, so that it is recognised only before JSON that names an offered tool.
   */
  readonly offeredOnly?: boolean;
}

const fixed = (...words: string[]): MarkRow[] =>
  words.map((word) => ({ words: [word], open: new RegExp(escaped(word), 'y') }));

/** Matches prefixes of tag names: tokens of DeepSeek and GigaChat, `ifm|` of K2 Horizon, and any XML namespace. */
export const PREFIX = '(?<p>[|｜]{0,2}(?:DSML|GCML)[|｜]{1,2} ?|ifm\\||[a-z][\\w-]{0,15}:)?';
/**
 * Matches the character between the words of DeepSeek's tokens, in all spellings that DeepSeek's own parsers accept.
 */
export const GAP = '(?:▁|\\\\?_| )';

/** Beginnings of tags with DeepSeek's or GigaChat's prefix, whose bars models write in ASCII, twice or not at all. */
export const BARRED = [
  '<｜DSML',
  '<｜GCML',
  '<|DSML',
  '<|GCML',
  '<｜｜DSML',
  '<｜｜GCML',
  '<||DSML',
  '<||GCML',
  '<DSML',
  '<GCML',
];

/** Opening line of a code fence whose language shows that it contains a call (Gemma 3). */
export const CALL_FENCE = '```tool_code';

/** Matches the attributes of a tag, such as an id, unless one of them is the name of the tool. */
const ATTRIBUTES = '(?:\\s(?![^<>\\n]{0,200}\\b(?:name|tool|tool_name|function)\\s{0,4}=)[^<>\\n]{0,200})?';

/**
 * Opening marks of sections, and of calls whose name or JSON follows the mark. To support a new model family with such
 * a mark, add an entry here.
 */
const markRows: readonly MarkRow[] = [
  {
    words: ['<tool_call', '<function_call', ...BARRED, '<ifm|tool_call'],
    otherwise: /<[a-z][\w-]{0,15}:/y,
    open: new RegExp(`<${PREFIX}(?:tool_calls?|function_calls?)(?<s>:[\\w.-]{1,40})?${ATTRIBUTES}>`, 'y'),
  },
  {
    words: BARRED,
    open: /<(?<p>[|｜]{0,2}(?:DSML|GCML)[|｜]{1,2} ?)(?:calls|toolcalls|tool)>/y,
  },
  {
    words: ['<｜tool', '<|tool▁', '<|tool_calls'],
    open: new RegExp(`<[|｜]tool${GAP}calls(?:${GAP}begin)?[|｜]>`, 'y'),
  },
  {
    words: ['<｜tool', '<|tool▁'],
    open: new RegExp(
      `<[|｜]tool${GAP}call${GAP}begin[|｜]>(?:function)?<[|｜]tool${GAP}sep[|｜]>(?=\\s*<)`,
      'y',
    ),
  },
  {
    // Gemma's marks. Its own notation is read with the mark as a whole.
    words: ['<|tool_call>', '<start_function_call>'],
    open: /<(?:\|tool_call|start_function_call)>(?=\s{0,8}(?:[{[]|(?:call:)?\s?[\w.-]{1,200}\())/y,
  },
  // One of the two brackets of Mistral's `[TOOL_CALLS]` may be missing.
  { words: ['[TOOL_CALLS'], open: /\[TOOL_CALLS(?=\w)/y },
  { words: ['TOOL_CALLS]'], open: /TOOL_CALLS\]/y, startsLine: true },
  // Hermes models may name the tag after its content.
  {
    words: ['<tool>', '<response>', '<json>', '<JSON>', '<xml>'],
    open: /<(?:tool|response|json|JSON|xml)>(?=\s{0,20}[{[])/y,
    startsLine: true,
    offeredOnly: true,
  },
  { words: ['<tools>'], open: /<tools>/y, definesTools: true },
  ...fixed('<tool_code>', '<TOOLCALL>', '<|tool_call|>', '<|tools_prefix|>', '<|START_ACTION|>'),
  ...fixed('<longcat_tool_call>', '<iquest_tool_call>', '<dots_function_call>', '<|function_call|>'),
  ...fixed(
    '[TOOL_CALLS]',
    '[TOOL_CALL]',
    '[TOOL_REQUEST]',
    '[unused11]',
    '<|tool_call_start|>',
    '<|python_start|>',
    '<|python_tag|>',
    '<|tool_call:start|>',
  ),
  { words: ['<|tool_call'], open: /<\|tool_calls?_section_begin\|>/y },
  ...fixed(']<]minimax[>[<tool_call>'),
  {
    words: ['<|open|>tool', '<|open|> tool'],
    open: /<\|open\|>\s{0,4}tool(?:s|_calls?)?(?:\s[^<>\n]{0,200})?<\|sep\|>/y,
  },
  ...fixed('<|plamo:begin_tool_requests:plamo|>', '<|content_invoke_tool_json|>'),
  ...fixed('<|message_model|><|content_invoke_tool_json|>'),
  { words: ['<|action_start|>'], open: /<\|action_start\|>\s{0,4}<\|plugin\|>/y },
  { words: ['<|message_sep|>'], open: /<\|message_sep\|>\s{0,4}function call<\|role_sep\|>/y },
  {
    words: ['<|im_start|>assistant -> tool/'],
    open: /<\|im_start\|>assistant -> tool\/function_call(?=\s)/y,
  },
  {
    // Muse begins a message to a tool like this. Its messages to `self` are reasoning, and those to `user` are text.
    words: ['<|start|>assistant to='],
    open: /<\|start\|>assistant to=(?!self<|user<)[\w.-]{1,200}<\|message\|>(?=\s*<)/y,
  },
  { words: ['to='], open: /to=(?!self<|user<)[\w.-]{1,200}<\|message\|>(?=\s*<)/y, startsLine: true },
  { words: ['-> tool/function_call'], open: /-> tool\/function_call(?=[\s[])/y, startsLine: true },
  { words: ['function call<|role_sep|>'], open: /function call<\|role_sep\|>/y, startsLine: true },
  { words: ['functools['], open: /functools(?=\[)/y, startsLine: true },
  { words: [CALL_FENCE], open: /```tool_code[ \t]*(?=\r?\n)/y, startsLine: true },
  {
    words: ['**Tool Call:**'],
    open: /\*\*Tool Call:\*\*\s{1,8}```\w{0,10}(?=\s)/y,
    startsLine: true,
    labelsFence: true,
  },
];

/** Pattern source that matches any closing tag or token of a section or a call. Its opening mark may be missing. */
export const closerSource = [
  '</(?:[|｜]{0,2}(?:DSML|GCML)[|｜]{1,2} ?|ifm\\||longcat_|iquest_|dots_|[a-z][\\w-]{0,15}:)?(?:tool_calls?|function_calls?|calls|toolcalls|tools?|tool_code|TOOLCALL|response|json|JSON|xml)(?::[\\w.-]{1,40})?\\s{0,4}>',
  `<[|｜]tool${GAP}calls?${GAP}end[|｜]>`,
  '<\\|/tool_call\\|>|<\\|tools_suffix\\|>|<\\|END_ACTION\\|>|\\[/TOOL_CALLS?\\]|\\[END_TOOL_REQUEST\\]|\\[unused12\\]|<\\|tool_call_end\\|>|<tool_call\\|>|<end_function_call>|<\\|python_end\\|>',
  '<\\|tool_call:end\\|>|<\\|tool_calls?_section_end\\|>|<\\|close\\|>\\s{0,4}tool(?:s|_calls?)?\\s{0,4}<\\|sep\\|>|\\]<\\]minimax\\[>\\[</tool_call>',
  '<\\|plamo:end_tool_requests:plamo\\|>|<\\|end_message\\|>|<\\|action_end\\|>',
].join('|');
const closer = new RegExp(closerSource, 'y');

/** Returns the end of the closing tag or token at `position`; null if there is none. */
export function closerEnd(text: string, position: number): number | null {
  return matchEnd(closer, text, position);
}

/** An opening mark that was found in a text. */
export interface Mark {
  readonly end: number;
  readonly suffix: string;
  readonly labelsFence: boolean;
  readonly definesTools: boolean;
  readonly offeredOnly: boolean;
}

/** Returns the opening mark at `position`; null if there is none. */
export function markAt(text: string, position: number, startsLine: boolean): Mark | null {
  for (const row of markRows) {
    const { open, startsLine: mustStart = false, labelsFence = false } = row;
    const { definesTools = false, offeredOnly = false } = row;
    if (!mayBeginAt(row, text, position) || (mustStart && !startsLine)) continue;
    open.lastIndex = position;
    const found = open.exec(text);
    const suffix = found?.groups?.['s'] ?? '';
    if (found) return { end: open.lastIndex, suffix, labelsFence, definesTools, offeredOnly };
  }
  return null;
}

/** Fixed texts with which opening marks begin, for a fast search. */
export const markWords = markRows.filter(({ startsLine }) => !startsLine).flatMap(({ words }) => words);
export const lineMarkWords = markRows.filter(({ startsLine }) => startsLine).flatMap(({ words }) => words);
