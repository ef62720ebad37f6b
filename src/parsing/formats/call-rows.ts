import type { Dialect } from '../dialects/written-call.js';
import { escaped } from '../text/characters.js';
import { BARRED, type Beginnings, GAP, PREFIX } from './marks.js';

/** Tags around the arguments of a call, as sources of regular expressions. */
export interface ArgumentTags {
  readonly dialect: Dialect;
  /**
   * Matches the opening tag of an argument. Group `key` is its name; `type`, `lead` and `attrs` may give its type, and
   * `wrong` is a closing tag that was written in place of another.
   */
  readonly open: string;
  /** Returns `open` for one word, if the tag may have several. */
  readonly openOf?: (word: string) => string;
  /** Matches the closing tag of the argument. `word` is that of its opening tag, if the tag may have several. */
  readonly close: (key: string, word?: string) => string;
  /** Matches the closing tag of the call. */
  readonly end: string;
  /** True if one line break at the start and one at the end of a value belong to the tags, not to the value. */
  readonly hasBreaks?: boolean;
  /**
   * True if a tag opens an argument only if it is named after a declared parameter, since every XML tag has this form.
   */
  readonly declaredOnly?: boolean;
  /** True if elements nested in a value are read as an object or a list. */
  readonly nests?: boolean;
}

/** An opening tag of a call that includes the tool's name, such as `<function=NAME>`. */
export interface CallRow extends Beginnings {
  /**
   * Matches the opening tag up to the arguments. Group `name` is the tool's name. The tags of the arguments repeat the
   * prefix `p` and the suffix `s`.
   */
  readonly open: RegExp;
  /**
   * True if the opening tag is read only at the start of a line, or inside a block of calls that began earlier on the
   * line.
   */
  readonly startsLine?: boolean;
  /** Matches the end of the call after one JSON object of arguments; absent if the arguments cannot be JSON. */
  readonly jsonEnd?: RegExp;
  /**
   * True if the opening tag is read only together with its closing tag, since other texts look like the opening tag.
   */
  readonly needsEnd?: boolean;
  /** True if the opening tag is written wrongly, so that a call with it is a repair. */
  readonly isMended?: boolean;
  readonly tags?: (prefix: string, suffix: string) => ArgumentTags;
}

const NAME = '(?<name>[^"\'<>\\n]{1,200}?)';
const WORD = '(?<name>[^\\s"\'<>(){}\\[\\]]{1,200}?)';
/** Matches attributes before the one that is looked for, since their order means nothing. */
const LEAD = `(?<lead>(?:[\\w-]{1,40}\\s{0,4}=\\s{0,4}(?:"[^"<>\\n]{0,200}"|'[^'<>\\n]{0,200}'|[^\\s"'<>]{1,200})\\s{1,4}){0,4}?)`;
/** Matches an attribute from its name on, with the attributes after it. */
const attribute = (name: string, group: string): string =>
  `${name}\\s{0,4}=\\s{0,4}(?<q>["']?)(?<${group}>[^"'<>\\n]{1,300}?)\\k<q>(?<attrs>[\\s/][^<>\\n]{0,2000})?`;
const fence = '(?:```\\w{0,10}\\s*)?';
/** Matches DeepSeek's token between the parts of a call. */
const SEP = `<[|｜]tool${GAP}sep[|｜]>`;
const fenceEnd = '(?:\\s*```)?\\s*';

const PARAMETER_WORD = 'parameter|param|arg';

/** Returns tags for arguments in `<parameter=KEY>` or `<parameter name="KEY">`, in an element named `call`. */
const parameterTags =
  (dialect: Dialect, call: string) =>
  (prefix: string): ArgumentTags => {
    const p = escaped(prefix);
    const openOf = (word: string): string =>
      `<${p}(?<word>${word})${attribute(`(?:\\s{1,4}${LEAD}name)?`, 'key')}>`;
    return {
      dialect,
      open: openOf(PARAMETER_WORD),
      openOf,
      close: (_, word = PARAMETER_WORD) => `</${p}(?:${word})\\s{0,4}>`,
      end: `</${p}${call}\\s{0,4}>`,
      hasBreaks: dialect === 'function_tag',
    };
  };

const minimax = escaped(']<]minimax[>[');

const minimaxElements = (): ArgumentTags => ({
  dialect: 'element',
  open: `${minimax}<(?<key>[^\\s<>/]{1,200})>`,
  close: (key) => `${minimax}</${escaped(key)}>`,
  end: `${minimax}</invoke>`,
  nests: true,
});

const legacyElements = (): ArgumentTags => ({
  dialect: 'element',
  open: '<(?<key>[^\\s<>/]{1,200})>',
  close: (key) => `</${escaped(key)}>`,
  end: '(?:</parameters>\\s*)?</invoke>',
});

/** Returns tags for arguments in elements named after the tool's parameters, as Cline's prompt asks for them. */
export const toolElements = (tool: string): ArgumentTags => ({
  ...legacyElements(),
  end: `</${escaped(tool)}>`,
  declaredOnly: true,
});

const xtmlTags = (): ArgumentTags => ({
  dialect: 'xtml',
  open: `<\\|open\\|>\\s{0,4}argument\\s{1,4}${attribute(`${LEAD}(?:key|name)`, 'key')}<\\|sep\\|>`,
  close: () => '<\\|close\\|>\\s{0,4}argument\\s{0,4}<\\|sep\\|>',
  end: '<\\|close\\|>\\s{0,4}call\\s{0,4}<\\|sep\\|>',
});

/**
 * Returns the tags around each key and each value in the format of GLM and related models. Some servers write the two
 * characters `\n` for a line break.
 */
const pairTags = (prefix: string, suffix: string): ArgumentTags => {
  const tag = (name: string): string => `${escaped(prefix)}${name}${escaped(suffix)}`;
  const between = '(?:\\s|\\\\n){0,8}';
  return {
    dialect: 'arg_pairs',
    open: `<${tag('arg_key')}>\\s{0,8}(?<key>[^<>\\n]{1,200}?)\\s{0,8}(?:</${tag('arg_key')}>|(?<wrong></${tag('arg_value')}>|(?=<${tag('arg_value')}>)))${between}(?:<${tag('arg_type')}>(?<type>\\w{1,20})</${tag('arg_type')}>${between})?<${tag('arg_value')}>`,
    close: () => `</${tag('arg_value')}>`,
    end: `</(?:iquest_)?${tag('tool_call')}>`,
  };
};

const solarTags = (): ArgumentTags => ({
  dialect: 'arg_pairs',
  open: '<\\|tool_arg:start\\|>(?<key>[^<>\\n]{1,200}?)<\\|tool_arg:value\\|>',
  close: () => '<\\|tool_arg:end\\|>',
  end: '<\\|tool_call:end\\|>',
});

/** Beginnings of Harmony's headers without special tokens. The role may precede them. */
const strippedChannels = ['commentary to=', 'commentaryto=', 'analysis to=', 'analysisto='];

/** Opening tags that include the tool's name. To support a new model family with such a tag, add an entry here. */
export const callRows: readonly CallRow[] = [
  {
    words: ['<function=', '<function ='],
    open: new RegExp(`<function\\s{0,4}=\\s{0,4}(?<q>["']?)${NAME}\\k<q>\\s{0,4}>`, 'y'),
    jsonEnd: /\s*<\/function>/y,
    tags: parameterTags('function_tag', 'function'),
  },
  {
    // Llama 3 on Groq: the `>` of the opening tag is missing or misplaced.
    words: ['<function=', '<function =', '<function('],
    open: new RegExp(`<function(?:\\s{0,4}=\\s{0,4}|\\()${WORD}(?:\\)>?|[ =,])?\\s{0,4}(?=\\{)`, 'y'),
    jsonEnd: /\s*>?\s*<\/function>/y,
    isMended: true,
  },
  {
    words: ['<function ', '<functionname='],
    open: new RegExp(`<function\\s{0,4}${attribute(`${LEAD}name`, 'name')}>`, 'y'),
    jsonEnd: /\s*<\/function\s{0,4}>/y,
    tags: parameterTags('invoke', 'function'),
  },
  {
    words: ['<invoke ', ...BARRED],
    otherwise: /<(?:[a-z][\w-]{0,15}:)?invoke\s/y,
    open: new RegExp(`<${PREFIX}invoke\\s{1,4}${attribute(`${LEAD}(?:name|tool)`, 'name')}>`, 'y'),
    jsonEnd: /\s*<\/(?:[|｜]{1,2}\w{4}[|｜]{1,2} ?|[\w-]{1,16}:)?invoke\s{0,4}>/y,
    tags: parameterTags('invoke', 'invoke'),
  },
  {
    // The name of the tool is in the tag that other models write around the call.
    words: ['<tool_call ', '<function_call ', '<tool_use ', '<tool_call='],
    open: new RegExp(
      `<(?<s>tool_call|function_call|tool_use)${attribute(`(?:\\s{1,4}${LEAD}(?:name|tool|tool_name|function))?`, 'name')}>`,
      'y',
    ),
    jsonEnd: /\s*<\/(?:tool_call|function_call|tool_use)\s{0,4}>/y,
    tags: (prefix, call) => parameterTags('invoke', call)(prefix),
  },
  {
    words: [']<]minimax[>[<invoke'],
    open: new RegExp(`${minimax}<invoke\\s{1,4}${attribute(`${LEAD}name`, 'name')}>`, 'y'),
    tags: minimaxElements,
  },
  {
    words: ['<invoke>'],
    open: new RegExp(`<invoke>\\s*<tool_name>\\s*${NAME}\\s*</tool_name>\\s*(?:<parameters>)?`, 'y'),
    tags: legacyElements,
  },
  {
    words: ['<|open|>call', '<|open|> call'],
    open: new RegExp(
      `<\\|open\\|>\\s{0,4}call\\s{1,4}${attribute(`${LEAD}(?:tool|name)`, 'name')}<\\|sep\\|>`,
      'y',
    ),
    tags: xtmlTags,
  },
  {
    words: ['<|tool_call_begin|>'],
    open: new RegExp(
      `<\\|tool_call_begin\\|>\\s*${WORD}\\s*(?:<\\|tool_call_argument_begin\\|>\\s*${fence}|(?=\\{|<\\|tool_call_end\\|>))`,
      'y',
    ),
    jsonEnd: /(?:\s*```)?\s*<\|tool_call_end\|>/y,
  },
  {
    words: ['<｜tool', '<|tool▁', '<|tool_call_begin|>'],
    open: new RegExp(
      `<[|｜]tool${GAP}call${GAP}begin[|｜]>(?:function${SEP})?${WORD}(?:${SEP}|\\n|(?=[\`{]))\\s*${fence}`,
      'y',
    ),
    jsonEnd: new RegExp(`${fenceEnd}<[|｜]tool${GAP}call${GAP}end[|｜]>`, 'y'),
  },
  {
    // DeepSeek V3 without the opening token of the call.
    words: ['function<｜tool', 'function<|tool▁'],
    open: new RegExp(`function${SEP}${WORD}(?:\\n|(?=\`))\\s*${fence}(?=["{]|$)`, 'y'),
    startsLine: true,
    jsonEnd: new RegExp(`${fenceEnd}<[|｜]tool${GAP}call${GAP}end[|｜]>`, 'y'),
  },
  {
    words: ['<|plamo:begin_tool_request:'],
    open: new RegExp(
      `<\\|plamo:begin_tool_request:plamo\\|>\\s*<\\|plamo:begin_tool_name:plamo\\|>${NAME}<\\|plamo:end_tool_name:plamo\\|>\\s*<\\|plamo:begin_tool_arguments:plamo\\|>\\s*(?:<\\|plamo:constrain\\|>json)?(?:<\\|plamo:msg\\|>)?`,
      'y',
    ),
    jsonEnd: /\s*<\|plamo:end_tool_arguments:plamo\|>\s*(?:<\|plamo:end_tool_request:plamo\|>)?/y,
  },
  {
    // In Harmony's format, the recipient is in the header of the channel or in the role.
    words: [
      '<|channel|>commentary ',
      '<|channel|>analysis ',
      '<|channel|>final to=',
      '<|start|>assistant to=',
    ],
    open: harmony(
      '(?:<\\|start\\|>assistant ?(?=to=))?(?:<\\|channel\\|>(?:commentary|analysis|final) {1,2})?',
    ),
    jsonEnd: /(?:\s*```)?\s*<\|(?:call|end)\|>|\s*```/y,
  },
  {
    // The same without its first token, or without any.
    words: [
      'to=functions.',
      'assistant to=functions.',
      ...['', 'assistant'].flatMap((role) => strippedChannels.map((channel) => role + channel)),
    ],
    open: harmony('(?:assistant)? ?(?:commentary|analysis)? ?'),
    startsLine: true,
    jsonEnd: /(?:\s*```)?\s*<\|(?:call|end)\|>|\s*```/y,
  },
  {
    words: ['>>>'],
    open: new RegExp(`>>>${WORD}(?:[ \\t]{0,4}\\r?\\n\\s{0,8}${fence}(?=["{[])|(?=\\{))`, 'y'),
    startsLine: true,
    jsonEnd: /\s*```/y,
  },
];

/**
 * Matches the header of a call in Harmony's format, up to the arguments. A server may have removed the special tokens.
 */
function harmony(before: string): RegExp {
  const name = '(?:functions\\.)?(?<name>[^\\s<>{}]{1,200}?)';
  const channel = '(?:\\s{0,4}(?:<\\|channel\\|>)?(?:commentary|analysis))?';
  const type =
    '\\s{0,4}(?:<\\|constrain\\|>)?\\s{0,4}(?:json|code)?\\s{0,4}(?:<\\|message\\|>\\s*|\\s*(?=["{[`]|$))';
  return new RegExp(`${before}to=${name}${channel}${type}${fence}`, 'y');
}

/**
 * Call formats that begin with the tool's name. They are read after an opening tag such as `<tool_call>`. Those with
 * `stripped` are also read without one, at the start of a line: some servers remove the opening tag, and the remaining
 * text is distinctive enough.
 */
export const namedRows: readonly {
  readonly stripped: boolean;
  /** True if any text may have this form, so that it is a call only of an offered tool. */
  readonly offeredOnly?: boolean;
  readonly row: Omit<CallRow, keyof Beginnings>;
}[] = [
  {
    stripped: true,
    row: {
      open: new RegExp(
        `${WORD}(?:<\\|tool_call_argument_begin\\|>|\\[CALL_ID\\]\\w{0,40}(?:\\[ARGS\\])?|\\[ARGS\\]|${SEP})\\s{0,8}${fence}(?=["{]|$)`,
        'y',
      ),
      jsonEnd: new RegExp(`${fenceEnd}(?:<[|｜]tool${GAP}call${GAP}end[|｜]>|<\\|tool_call_end\\|>)`, 'y'),
    },
  },
  {
    stripped: true,
    row: {
      open: new RegExp(
        `${WORD}(?:\\s|\\\\n){0,8}(?:<tool_sep(?<s>:[\\w.-]{1,40})?>\\s{0,8})?(?=<(?<p>ifm\\||longcat_)?arg_key)`,
        'y',
      ),
      tags: pairTags,
    },
  },
  {
    stripped: true,
    row: {
      open: new RegExp(
        `${WORD}(?:\\s|\\\\n){0,8}(?:<tool_sep(?<s>:[\\w.-]{1,40})?>\\s{0,8})?(?=</(?<p>ifm\\||longcat_)?(?:iquest_)?tool_call)`,
        'y',
      ),
      tags: pairTags,
    },
  },
  {
    stripped: true,
    row: {
      open: new RegExp(`${WORD}\\s{0,8}(?=<\\|tool_arg:start\\|>|<\\|tool_call:end\\|>)`, 'y'),
      tags: solarTags,
    },
  },
  {
    // Functionary's prompt template already ends with the first `>>>`, so the reply begins with the tool's name. The
    // format is recognised only if the `>>>` of a next call follows.
    stripped: true,
    row: { open: new RegExp(`${WORD}\\s{0,4}\\n(?=\\{)`, 'y'), jsonEnd: /\s*(?=>>>)/y, needsEnd: true },
  },
  {
    stripped: false,
    offeredOnly: true,
    row: {
      open: new RegExp(`["'\`*]{0,2}${WORD}["'\`*]{0,2}\\s{0,8}(?:[:,=]|=>|->)?\\s{0,8}(?=\\{)`, 'y'),
      jsonEnd: /(?!)/y,
    },
  },
  {
    stripped: false,
    row: { open: new RegExp(`(?:function\\s{1,4})?${WORD}\\s{0,8}(?=\\{)`, 'y'), jsonEnd: /(?!)/y },
  },
];

/** Fixed texts with which the opening tags begin, for a fast search. */
export const callWords = callRows.filter(({ startsLine }) => !startsLine).flatMap(({ words }) => words);
export const lineCallWords = callRows.filter(({ startsLine }) => startsLine).flatMap(({ words }) => words);
