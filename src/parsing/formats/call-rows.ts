import type { Dialect } from '../dialects/written-call.js';
import { escaped } from '../text/characters.js';
import { type Beginnings, GAP, PREFIX } from './marks.js';

/** Tags around the arguments of a call, as sources of regular expressions. */
export interface ArgumentTags {
  readonly dialect: Dialect;
  /** Matches the opening mark of an argument. Group `key` is its name; `type` and `attrs` may give its type. */
  readonly open: string;
  /** Matches the closing mark of the argument. */
  readonly close: (key: string) => string;
  /** Matches the closing mark of the call. */
  readonly end: string;
  /** True if one line break at each edge of a value belongs to the markup. */
  readonly hasBreaks?: boolean;
  /** True if a value may be inside `<![CDATA[…]]>`, which then ends it. */
  readonly hasCdata?: boolean;
  /** True if only tags named after declared parameters open an argument, since any tag has this form. */
  readonly declaredOnly?: boolean;
  /** True if the elements in a value make an object or a list. */
  readonly nests?: boolean;
}

/** An opening mark of a call that includes the tool's name, such as `<function=NAME>`. */
export interface CallRow extends Beginnings {
  /**
   * Matches the opening mark up to the arguments. Group `name` is the tool; its tags repeat the prefix `p` and
   * the suffix `s`.
   */
  readonly open: RegExp;
  /** True if the opening mark counts only at the start of a line or after another mark. */
  readonly startsLine?: boolean;
  /** Closes the call after one JSON object of arguments; absent if the arguments cannot be JSON. */
  readonly jsonEnd?: RegExp;
  /**
   * True if the opening mark counts only together with its closing mark, since other texts look like the
   * opening mark.
   */
  readonly needsEnd?: boolean;
  readonly tags?: (prefix: string, suffix: string) => ArgumentTags;
}

const NAME = '(?<name>[^"\'<>\\n]{1,200}?)';
const WORD = '(?<name>[^\\s"\'<>(){}\\[\\]]{1,200}?)';
const attribute = (key: string, group: string): string =>
  `${key}\\s{0,4}=\\s{0,4}(?<q>["']?)(?<${group}>[^"'<>\\n]{1,200}?)\\k<q>(?<attrs>[\\s/][^<>\\n]{0,200})?`;
const fence = '(?:```\\w{0,10}\\s*)?';
const fenceEnd = '(?:\\s*```)?\\s*';

const functionTags = (): ArgumentTags => ({
  dialect: 'function_tag',
  open: '<parameter\\s{0,4}=\\s{0,4}(?<q>["\']?)(?<key>[^"\'<>\\n]{1,200}?)\\k<q>\\s{0,4}>',
  close: () => '</parameter\\s{0,4}>',
  end: '</function\\s{0,4}>',
  hasBreaks: true,
});

const invokeTags = (prefix: string): ArgumentTags => ({
  dialect: 'invoke',
  open: `<${escaped(prefix)}parameter\\s{1,4}${attribute('name', 'key')}>`,
  close: () => `</${escaped(prefix)}parameter\\s{0,4}>`,
  end: `</${escaped(prefix)}invoke\\s{0,4}>`,
});

const paramTags = (): ArgumentTags => ({
  dialect: 'invoke',
  open: `<param\\s{1,4}${attribute('name', 'key')}>`,
  close: () => '</param\\s{0,4}>',
  end: '</function\\s{0,4}>',
  hasCdata: true,
});

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

/** Elements named after a tool's parameters, as Cline teaches them. */
export const toolElements = (tool: string): ArgumentTags => ({
  ...legacyElements(),
  end: `</${escaped(tool)}>`,
  declaredOnly: true,
});

const xtmlTags = (): ArgumentTags => ({
  dialect: 'xtml',
  open: '<\\|open\\|>\\s{0,4}argument\\s{1,4}key="(?<key>[^"<>\\n]{1,300})"(?<attrs>[^<>\\n]{0,200})<\\|sep\\|>',
  close: () => '<\\|close\\|>\\s{0,4}argument\\s{0,4}<\\|sep\\|>',
  end: '<\\|close\\|>\\s{0,4}call\\s{0,4}<\\|sep\\|>',
});

/**
 * Returns the tags for the key and value pairs of GLM and its relatives. Some servers write the two characters
 * `\n` for a line break.
 */
const pairTags = (prefix: string, suffix: string): ArgumentTags => {
  const tag = (name: string): string => `${escaped(prefix)}${name}${escaped(suffix)}`;
  const between = '(?:\\s|\\\\n){0,8}';
  return {
    dialect: 'arg_pairs',
    open: `<${tag('arg_key')}>(?<key>[^<>\\n]{1,200}?)</${tag('arg_key')}>${between}(?:<${tag('arg_type')}>(?<type>\\w{1,20})</${tag('arg_type')}>${between})?<${tag('arg_value')}>`,
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

/**
 * Opening marks that include the tool's name. The opening mark of a new model family becomes an entry of this
 * list.
 */
export const callRows: readonly CallRow[] = [
  {
    words: ['<function=', '<function ='],
    open: new RegExp(`<function\\s{0,4}=\\s{0,4}(?<q>["']?)${NAME}\\k<q>\\s{0,4}>`, 'y'),
    jsonEnd: /\s*<\/function>/y,
    tags: functionTags,
  },
  {
    words: ['<function name=', '<functionname='],
    open: new RegExp(`<function ?${attribute('name', 'name')}>`, 'y'),
    jsonEnd: /\s*<\/function>/y,
    tags: paramTags,
  },
  {
    words: ['<invoke name=', '<｜DSML｜', '<｜GCML｜'],
    otherwise: /<(?:[a-z][\w-]{0,15}:)?invoke\s/y,
    open: new RegExp(`<${PREFIX}invoke\\s{1,4}${attribute('name', 'name')}>`, 'y'),
    jsonEnd: /\s*<\/(?:｜\w{4}｜ ?|[\w-]{1,16}:)?invoke>/y,
    tags: invokeTags,
  },
  {
    words: [']<]minimax[>[<invoke'],
    open: new RegExp(`${minimax}<invoke\\s{1,4}${attribute('name', 'name')}>`, 'y'),
    tags: minimaxElements,
  },
  {
    words: ['<invoke>'],
    open: new RegExp(`<invoke>\\s*<tool_name>\\s*${NAME}\\s*</tool_name>\\s*(?:<parameters>)?`, 'y'),
    tags: legacyElements,
  },
  {
    words: ['<|open|>call', '<|open|> call'],
    open: new RegExp(`<\\|open\\|>\\s{0,4}call\\s{1,4}tool="${NAME}"[^<>\\n]{0,200}<\\|sep\\|>`, 'y'),
    tags: xtmlTags,
  },
  {
    words: ['<|tool_call_begin|>'],
    open: new RegExp(`<\\|tool_call_begin\\|>\\s*${WORD}\\s*<\\|tool_call_argument_begin\\|>`, 'y'),
    jsonEnd: /\s*<\|tool_call_end\|>/y,
  },
  {
    words: ['<｜tool'],
    open: new RegExp(
      `<｜tool${GAP}call${GAP}begin｜>(?:function<｜tool${GAP}sep｜>)?${WORD}(?:<｜tool${GAP}sep｜>|\\n)\\s*${fence}`,
      'y',
    ),
    jsonEnd: new RegExp(`${fenceEnd}<｜tool${GAP}call${GAP}end｜>`, 'y'),
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
    // Harmony: the recipient is in the channel's header or in the role.
    words: ['<|channel|>commentary to=', '<|channel|>analysis to=', '<|start|>assistant to='],
    open: harmony('(?:<\\|start\\|>assistant ?(?=to=))?(?:<\\|channel\\|>(?:commentary|analysis) )?'),
    jsonEnd: /\s*<\|(?:call|end)\|>/y,
  },
  {
    words: [
      'to=functions.',
      'commentary to=functions.',
      'analysis to=functions.',
      'assistantcommentary to=functions.',
    ],
    open: harmony('(?:(?:assistant)?(?:commentary|analysis) )?'),
    startsLine: true,
    jsonEnd: /\s*<\|(?:call|end)\|>/y,
  },
  {
    words: ['>>>'],
    open: new RegExp(`>>>${WORD}[ \\t]{0,4}\\r?\\n\\s{0,8}(?=\\{)`, 'y'),
    startsLine: true,
    jsonEnd: /(?!)/y,
  },
];

/** Matches Harmony's header of a call from the recipient on; its tokens may be stripped. */
function harmony(before: string): RegExp {
  const name = '(?:functions\\.)?(?<name>[^\\s<>{}]{1,200}?)';
  const type = '\\s{0,2}(?:<\\|constrain\\|>)?(?:json|code)?\\s{0,2}(?:<\\|message\\|>)?\\s*(?=\\{|$)';
  return new RegExp(`${before}to=${name}(?:\\s?<\\|channel\\|>(?:commentary|analysis))?${type}`, 'y');
}

/**
 * Calls that begin with the name itself. They count after a mark; those with `stripped` also at the start of a
 * line, where a server removed the mark but the rest has no other meaning.
 */
export const namedRows: readonly {
  readonly stripped: boolean;
  readonly row: Omit<CallRow, keyof Beginnings>;
}[] = [
  {
    // DeepSeek V3 without the opening mark of the call.
    stripped: false,
    row: {
      open: new RegExp(`function<｜tool${GAP}sep｜>${WORD}\\n\\s*${fence}(?=\\{|$)`, 'y'),
      jsonEnd: new RegExp(`${fenceEnd}<｜tool${GAP}call${GAP}end｜>`, 'y'),
    },
  },
  {
    stripped: true,
    row: {
      open: new RegExp(
        `${WORD}(?:<\\|tool_call_argument_begin\\|>|(?:\\[CALL_ID\\]\\w{0,40})?(?:\\[ARGS\\]|(?<=\\[CALL_ID\\]\\w{0,40})$)|<｜tool${GAP}sep｜>)\\s{0,8}${fence}(?=\\{|$)`,
        'y',
      ),
      jsonEnd: new RegExp(`${fenceEnd}(?:<｜tool${GAP}call${GAP}end｜>|<\\|tool_call_end\\|>)`, 'y'),
    },
  },
  {
    stripped: true,
    row: {
      open: new RegExp(
        `${WORD}(?:\\s|\\\\n){0,8}(?:<tool_sep(?<s>:[\\w.-]{1,40})?>\\s{0,8})?(?=<(?<p>ifm\\|)?arg_key)`,
        'y',
      ),
      tags: pairTags,
    },
  },
  {
    stripped: true,
    row: {
      open: new RegExp(
        `${WORD}(?:\\s|\\\\n){0,8}(?:<tool_sep(?<s>:[\\w.-]{1,40})?>\\s{0,8})?(?=</(?<p>ifm\\|)?(?:iquest_)?tool_call)`,
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
    // Functionary's first mark is in the prompt; the mark of the next call identifies the format.
    stripped: true,
    row: { open: new RegExp(`${WORD}\\s{0,4}\\n(?=\\{)`, 'y'), jsonEnd: /\s*(?=>>>)/y, needsEnd: true },
  },
  {
    stripped: false,
    row: { open: new RegExp(`(?:function\\s{1,4})?${WORD}\\s{0,8}(?=\\{)`, 'y'), jsonEnd: /(?!)/y },
  },
];

/** Fixed texts in the opening marks, for a fast search. */
export const callWords = callRows.filter(({ startsLine }) => !startsLine).flatMap(({ words }) => words);
export const lineCallWords = callRows.filter(({ startsLine }) => startsLine).flatMap(({ words }) => words);
