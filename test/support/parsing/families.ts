import type { JsonValue } from '../../../src/parsing/index.js';

/** A call that is to be written in the notation of a model family. */
export interface RenderedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, JsonValue>>;
}

/** The notation in which one model family writes calls. It is taken from the family's own chat templates. */
export interface Family {
  readonly family: string;
  /** Name of the grammar, as `parse.dialect` reports it. */
  readonly grammar: string;
  readonly render: (calls: readonly RenderedCall[]) => string;
  /** Texts that end a value in this notation. A value that contains one of them is ambiguous. */
  readonly ends?: readonly string[];
  /** True if a reply that contains a call in this notation may contain nothing else. */
  readonly isWholeReply?: boolean;
  /** True if a call without its closing tag is incomplete, because further arguments might follow. */
  readonly holdsOne?: boolean;
}

type Render = (call: RenderedCall, index: number) => string;
const each =
  (render: Render, between = '\n') =>
  (calls: readonly RenderedCall[]): string =>
    calls.map(render).join(between);
const around =
  (open: string, close: string, render: (calls: readonly RenderedCall[]) => string) =>
  (calls: readonly RenderedCall[]): string =>
    open + render(calls) + close;

const json = JSON.stringify;
const object =
  (argumentKey: string, nameKey = 'name'): Render =>
  ({ name, args }) =>
    json({ [nameKey]: name, [argumentKey]: args });
const list =
  (argumentKey: string, nameKey = 'name') =>
  (calls: readonly RenderedCall[]): string =>
    `[${each(object(argumentKey, nameKey), ', ')(calls)}]`;

/** Writes a value as raw text: a string unchanged, any other value as JSON. */
const raw = (value: JsonValue): string => (typeof value === 'string' ? value : json(value));
const pairs = (
  { args }: RenderedCall,
  write: (key: string, value: JsonValue) => string,
  between = '\n',
): string =>
  Object.entries(args)
    .map(([key, value]) => write(key, value))
    .join(between);

const typeOf = (value: JsonValue): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Writes a value as a Python literal. */
function python(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return json(value);
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, inner]) => `${json(key)}: ${python(inner)}`)
    .join(', ')}}`;
}

const pythonCall: Render = (call) =>
  `${call.name}(${pairs(call, (key, value) => `${key}=${python(value)}`, ', ')})`;

const gemma =
  (quote: string) =>
  (value: JsonValue): string => {
    if (typeof value === 'string') return quote + value + quote;
    if (typeof value !== 'object' || value === null) return json(value);
    if (Array.isArray(value)) return `[${value.map(gemma(quote)).join(',')}]`;
    return `{${Object.entries(value)
      .map(([key, inner]) => `${quote}${key}${quote}:${gemma(quote)(inner)}`)
      .join(',')}}`;
  };
const gemmaCall =
  (quote: string): Render =>
  (call) =>
    `call:${call.name}{${pairs(call, (key, value) => `${key}:${gemma(quote)(value)}`, ',')}}`;

const functionTag =
  (before: string, after: string): Render =>
  (call) =>
    `<function=${call.name}>\n${pairs(call, (key, value) => `<parameter=${key}>${before}${raw(value)}${after}</parameter>\n`, '')}</function>`;

const invoke =
  (p: string, attribute: (value: JsonValue) => string = () => ''): Render =>
  (call) =>
    `<${p}invoke name="${call.name}">\n${pairs(call, (key, value) => `<${p}parameter name="${key}"${attribute(value)}>${raw(value)}</${p}parameter>\n`, '')}</${p}invoke>`;
const isString = (value: JsonValue): string => ` string="${typeof value === 'string'}"`;

const argPairs =
  (
    open: string,
    p: string,
    { close, end, gap = '\n', typed = false }: { close: string; end?: string; gap?: string; typed?: boolean },
  ): Render =>
  (call) => {
    const type = (value: JsonValue) => (typed ? `<${p}arg_type>${typeOf(value)}</${p}arg_type>${gap}` : '');
    const pair = (key: string, value: JsonValue) =>
      `<${p}arg_key>${key}</${p}arg_key>${gap}${type(value)}<${p}arg_value>${raw(value)}</${p}arg_value>${gap}`;
    return `${open}${call.name}${end ?? ''}${gap}${pairs(call, pair, '')}${close}`;
  };

const minimax = ']<]minimax[>[';
const deepseek = (before: string, after: string, between: string) =>
  around(
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
    each(
      ({ name, args }) =>
        `<｜tool▁call▁begin｜>${before}${name}${after.replace('ARGS', () => json(args))}<｜tool▁call▁end｜>`,
      between,
    ),
  );
const kimi = each(
  ({ name, args }, index) =>
    `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${json(args)}<|tool_call_end|>`,
  '',
);
const plamo = (name: string): string => `<|plamo:${name}:plamo|>`;

const hermes = each((call, index) => `<tool_call>\n${object('arguments')(call, index)}\n</tool_call>`);
const invokeEnds = ['</parameter>', '</invoke>'];

/** The notations of all families, by grammar. */
export const families: readonly Family[] = [
  { family: 'hermes', grammar: 'json_block', render: hermes },
  {
    family: 'longcat',
    grammar: 'json_block',
    render: each((call, at) => `<longcat_tool_call>\n${object('arguments')(call, at)}\n</longcat_tool_call>`),
  },
  {
    family: 'qwen2.5-coder',
    grammar: 'json_block',
    render: around('<tools>\n', '\n</tools>', each(object('arguments'))),
  },
  {
    family: 'granite-20b',
    grammar: 'json_block',
    render: each((call, at) => `<function_call> ${object('arguments')(call, at)}`, ' '),
  },
  {
    family: 'internlm2',
    grammar: 'json_block',
    render: each((call, at) => `<|action_start|><|plugin|>\n${object('parameters')(call, at)}<|action_end|>`),
  },
  {
    family: 'intern-s1',
    grammar: 'json_block',
    render: each(
      (call, at) => `<|action_start|> <|plugin|>\n${object('parameters')(call, at)}<|action_end|>`,
    ),
  },
  {
    family: 'inkling',
    grammar: 'json_block',
    render: each(
      (call, at) => `<|message_model|><|content_invoke_tool_json|>${object('args')(call, at)}<|end_message|>`,
      '',
    ),
  },
  {
    family: 'gigachat3',
    grammar: 'json_block',
    render: each(
      (call, at) => `<|message_sep|>\n\nfunction call<|role_sep|>\n${object('arguments')(call, at)}`,
    ),
  },
  {
    family: 'gigachat3-fc',
    grammar: 'json_block',
    render: each((call, at) => `<|function_call|>${object('arguments')(call, at)}`),
  },
  {
    family: 'minimax-m1',
    grammar: 'json_block',
    render: around('<tool_calls>\n', '\n</tool_calls>', each(object('arguments'))),
  },
  {
    family: 'k2-horizon-json',
    grammar: 'json_block',
    render: around(
      '<ifm|tool_calls>\n',
      '\n</ifm|tool_calls>',
      each((call, at) => `<ifm|tool_call>${object('arguments')(call, at)}</ifm|tool_call>`),
    ),
  },
  {
    family: 'llama3-python-tag',
    grammar: 'json_block',
    render: around('<|python_tag|>', '', each(object('parameters'), '; ')),
  },
  {
    family: 'jamba',
    grammar: 'json_list',
    render: around('<tool_calls>', '</tool_calls>', list('arguments')),
  },
  {
    family: 'nemotron-nano-2',
    grammar: 'json_list',
    render: around('<TOOLCALL>', '</TOOLCALL>', list('arguments')),
  },
  { family: 'granite3', grammar: 'json_list', render: around('<|tool_call|>', '', list('arguments')) },
  { family: 'granite3.1', grammar: 'json_list', render: around('<tool_call>', '', list('arguments')) },
  {
    family: 'openpangu',
    grammar: 'json_list',
    render: around('<|tool_call_start|>', '<|tool_call_end|>', list('arguments')),
  },
  {
    family: 'openpangu-1',
    grammar: 'json_list',
    render: around('[unused11]', '[unused12]', list('arguments')),
  },
  { family: 'mistral-v3', grammar: 'json_list', render: around('[TOOL_CALLS] ', '', list('arguments')) },
  { family: 'functools', grammar: 'json_list', render: around('functools', '', list('arguments')) },
  {
    family: 'command-r7b',
    grammar: 'json_list',
    render: around('<|START_ACTION|>', '<|END_ACTION|>', list('parameters', 'tool_name')),
  },
  {
    family: 'apertus',
    grammar: 'json_list',
    render: around('<|tools_prefix|>', '<|tools_suffix|>', (calls) =>
      json(calls.map(({ name, args }) => ({ [name]: args }))),
    ),
  },
  {
    family: 'hyperclova-x',
    grammar: 'json_list',
    render: around(' -> tool/function_call\n', '', list('arguments')),
  },
  {
    family: 'mistral-v11',
    grammar: 'name_json',
    render: each(({ name, args }) => `[TOOL_CALLS]${name}${json(args)}`, ''),
  },
  {
    family: 'mistral-v13',
    grammar: 'name_json',
    render: each(({ name, args }) => `[TOOL_CALLS]${name}[ARGS]${json(args)}`, ''),
  },
  {
    family: 'mistral-call-id',
    grammar: 'name_json',
    render: each(({ name, args }) => `[TOOL_CALLS]${name}[CALL_ID]aB3dE5gH7[ARGS]${json(args)}`, ''),
  },
  {
    family: 'deepseek-v3',
    grammar: 'name_json',
    render: deepseek('function<｜tool▁sep｜>', '\n```json\nARGS\n```', '\n'),
  },
  {
    family: 'deepseek-v3-without-call-opener',
    grammar: 'name_json',
    render: around(
      '<｜tool▁calls▁begin｜>',
      '<｜tool▁calls▁end｜>',
      each(
        ({ name, args }) =>
          `function<｜tool▁sep｜>${name}\n\`\`\`json\n${json(args)}\n\`\`\`<｜tool▁call▁end｜>`,
      ),
    ),
  },
  { family: 'deepseek-v3.1', grammar: 'name_json', render: deepseek('', '<｜tool▁sep｜>ARGS', '') },
  {
    family: 'kimi-k2',
    grammar: 'name_json',
    render: around('<|tool_calls_section_begin|>', '<|tool_calls_section_end|>', kimi),
  },
  { family: 'kimi-k2-bare', grammar: 'name_json', render: kimi },
  {
    family: 'gpt-oss',
    grammar: 'name_json',
    render: each(
      ({ name, args }) =>
        `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json(args)}<|call|>`,
      '<|start|>assistant',
    ),
  },
  {
    family: 'gpt-oss-role',
    grammar: 'name_json',
    render: each(
      ({ name, args }) =>
        `<|start|>assistant to=functions.${name}<|channel|>commentary json<|message|>${json(args)}<|call|>`,
      '',
    ),
  },
  {
    family: 'gpt-oss-stripped',
    grammar: 'name_json',
    render: each(({ name, args }) => `commentary to=functions.${name} json${json(args)}`),
  },
  {
    family: 'functionary-3.2',
    grammar: 'name_json',
    render: each(({ name, args }) => `>>>${name}\n${json(args)}`, ''),
  },
  {
    family: 'functionary-3.1',
    grammar: 'name_json',
    render: each(({ name, args }) => `<function=${name}>${json(args)}</function>`, ''),
  },
  {
    family: 'step-audio-2',
    grammar: 'name_json',
    render: each(({ name, args }) => `<tool_call>function\n${name}\n${json(args)}</tool_call>`),
  },
  {
    family: 'plamo3',
    grammar: 'name_json',
    render: around(
      plamo('begin_tool_requests'),
      plamo('end_tool_requests'),
      each(
        ({ name, args }) =>
          `${plamo('begin_tool_request')}${plamo('begin_tool_name')}${name}${plamo('end_tool_name')}${plamo('begin_tool_arguments')}<|plamo:constrain|>json<|plamo:msg|>${json(args)}${plamo('end_tool_arguments')}${plamo('end_tool_request')}`,
        '',
      ),
    ),
  },
  {
    family: 'deepseek-v3.2-json',
    grammar: 'name_json',
    render: around(
      '<｜DSML｜function_calls>\n',
      '\n</｜DSML｜function_calls>',
      each(({ name, args }) => `<｜DSML｜invoke name="${name}">\n${json(args)}\n</｜DSML｜invoke>`),
    ),
  },
  {
    family: 'qwen3-coder',
    grammar: 'function_tag',
    ends: ['</parameter>', '</function>'],
    render: each((call, at) => `<tool_call>\n${functionTag('\n', '\n')(call, at)}\n</tool_call>`),
  },
  {
    family: 'openhands',
    grammar: 'function_tag',
    ends: ['</parameter>', '</function>'],
    render: each(functionTag('\n', '\n')),
  },
  {
    family: 'mimo',
    grammar: 'function_tag',
    ends: ['</parameter>', '</function>', '\n'],
    render: each((call, at) => `<tool_call>\n${functionTag('', '')(call, at)}\n</tool_call>`),
  },
  {
    family: 'seed-oss',
    grammar: 'function_tag',
    ends: ['</parameter>', '</function>', '\n'],
    render: each((call, at) => `<seed:tool_call>\n${functionTag('', '')(call, at)}\n</seed:tool_call>`),
  },
  {
    family: 'minimax-m2',
    grammar: 'invoke',
    ends: invokeEnds,
    render: around('<minimax:tool_call>\n', '\n</minimax:tool_call>', each(invoke(''))),
  },
  {
    family: 'function-calls',
    grammar: 'invoke',
    ends: invokeEnds,
    render: around('<function_calls>\n', '\n</function_calls>', each(invoke(''))),
  },
  { family: 'invoke-alone', grammar: 'invoke', ends: invokeEnds, render: each(invoke('')) },
  {
    family: 'dots',
    grammar: 'invoke',
    ends: invokeEnds,
    render: around('<dots_function_call>\n', '\n</dots_function_call>', each(invoke(''))),
  },
  {
    family: 'deepseek-v3.2',
    grammar: 'invoke',
    ends: ['</｜DSML｜'],
    render: around(
      '<｜DSML｜function_calls>\n',
      '\n</｜DSML｜function_calls>',
      each(invoke('｜DSML｜', isString)),
    ),
  },
  {
    family: 'deepseek-v4',
    grammar: 'invoke',
    ends: ['</｜DSML｜'],
    render: around('<｜DSML｜tool_calls>\n', '\n</｜DSML｜tool_calls>', each(invoke('｜DSML｜', isString))),
  },
  {
    family: 'deepseek-v4.1',
    grammar: 'invoke',
    ends: ['</｜DSML｜'],
    render: around('<｜DSML｜ calls>\n', '\n</｜DSML｜ calls>', each(invoke('｜DSML｜ ', isString))),
  },
  {
    family: 'gigachat3.5',
    grammar: 'invoke',
    ends: ['</｜GCML｜'],
    render: around('<｜GCML｜tool_calls>\n', '\n</｜GCML｜tool_calls>', each(invoke('｜GCML｜', isString))),
  },
  {
    family: 'muse',
    grammar: 'invoke',
    ends: ['</atem:'],
    render: (calls) =>
      `<|start|>assistant to=${calls[0]?.name}<|message|>\n<atem:function_calls>\n${each(invoke('atem:'))(calls)}\n</atem:function_calls><|eom|>`,
  },
  {
    family: 'step3',
    grammar: 'invoke',
    ends: ['</steptml:'],
    render: around(
      '<｜tool_calls_begin｜>\n',
      '\n<｜tool_calls_end｜>',
      each(
        (call, at) =>
          `<｜tool_call_begin｜>function<｜tool_sep｜>${invoke('steptml:')(call, at)}<｜tool_call_end｜>`,
      ),
    ),
  },
  {
    family: 'minicpm5',
    grammar: 'invoke',
    ends: ['</param>', '</function>', '<![CDATA['],
    render: each(
      (call) =>
        `<function name="${call.name}">${pairs(call, (key, value) => `<param name="${key}">${raw(value)}</param>`, '')}</function>`,
    ),
  },
  {
    family: 'minicpm5-cdata',
    grammar: 'invoke',
    ends: [']]>', '</param>', '</function>'],
    render: each(
      (call) =>
        `<function name="${call.name}">${pairs(call, (key, value) => `<param name="${key}">${typeof value === 'string' ? `<![CDATA[${value}]]>` : raw(value)}</param>`, '')}</function>`,
    ),
  },
  {
    family: 'glm-4.5',
    grammar: 'arg_pairs',
    holdsOne: true,
    ends: ['</arg_value>', '</tool_call>'],
    render: each(argPairs('<tool_call>', '', { close: '</tool_call>' })),
  },
  {
    family: 'glm-4.7',
    grammar: 'arg_pairs',
    holdsOne: true,
    ends: ['</arg_value>', '</tool_call>'],
    render: each(argPairs('<tool_call>', '', { close: '</tool_call>', gap: '' }), ''),
  },
  {
    family: 'iquest-q1',
    grammar: 'arg_pairs',
    holdsOne: true,
    ends: ['</arg_value>', '</tool_call>', '</iquest_tool_call>'],
    render: each(argPairs('<iquest_tool_call>', '', { close: '</iquest_tool_call>' })),
  },
  {
    family: 'hunyuan-v3',
    grammar: 'arg_pairs',
    ends: ['</arg_value>', '</tool_call>'],
    render: around(
      '<tool_calls>\n',
      '\n</tool_calls>',
      each(argPairs('<tool_call>', '', { close: '</tool_call>', end: '<tool_sep>' })),
    ),
  },
  {
    family: 'hunyuan-v4',
    grammar: 'arg_pairs',
    ends: ['</arg_value>', '</tool_call>'],
    render: around(
      '<tool_calls>',
      '</tool_calls>',
      each(argPairs('<tool_call>', '', { close: '</tool_call>', gap: '' }), ''),
    ),
  },
  {
    family: 'k2-horizon',
    grammar: 'arg_pairs',
    ends: ['</ifm|'],
    render: around(
      '<ifm|tool_calls>\n',
      '\n</ifm|tool_calls>',
      each(argPairs('<ifm|tool_call>', 'ifm|', { close: '</ifm|tool_call>' })),
    ),
  },
  {
    family: 'k2-horizon-typed',
    grammar: 'arg_pairs',
    ends: ['</ifm|'],
    render: around(
      '<ifm|tool_calls>\n',
      '\n</ifm|tool_calls>',
      each(argPairs('<ifm|tool_call>', 'ifm|', { close: '</ifm|tool_call>', typed: true })),
    ),
  },
  {
    family: 'solar-open-2',
    grammar: 'arg_pairs',
    holdsOne: true,
    ends: ['<|tool_arg:', '<|tool_call:'],
    render: each(
      (call) =>
        `<|tool_call:start|>${call.name}\n${pairs(call, (key, value) => `<|tool_arg:start|>${key}<|tool_arg:value|>${raw(value)}<|tool_arg:end|>\n`, '')}<|tool_call:end|>`,
    ),
  },
  {
    family: 'cline',
    grammar: 'element',
    holdsOne: true,
    ends: ['</', '\n'],
    render: each(
      (call) =>
        `<${call.name}>\n${pairs(call, (key, value) => `<${key}>${raw(value)}</${key}>\n`, '')}</${call.name}>`,
    ),
  },
  {
    family: 'minimax-m3',
    grammar: 'element',
    ends: [minimax],
    render: around(
      `${minimax}<tool_call>\n`,
      `\n${minimax}</tool_call>`,
      each(
        (call) =>
          `${minimax}<invoke name="${call.name}">\n${pairs(call, (key, value) => `${minimax}<${key}>${raw(value)}${minimax}</${key}>\n`, '')}${minimax}</invoke>`,
      ),
    ),
  },
  {
    family: 'claude-legacy',
    grammar: 'element',
    ends: ['</'],
    render: around(
      '<function_calls>\n',
      '\n</function_calls>',
      each(
        (call) =>
          `<invoke>\n<tool_name>${call.name}</tool_name>\n<parameters>\n${pairs(call, (key, value) => `<${key}>${raw(value)}</${key}>\n`, '')}</parameters>\n</invoke>`,
      ),
    ),
  },
  {
    family: 'llama4',
    grammar: 'python',
    render: around('<|python_start|>[', ']<|python_end|>', each(pythonCall, ', ')),
  },
  {
    family: 'lfm2',
    grammar: 'python',
    render: around('<|tool_call_start|>[', ']<|tool_call_end|>', each(pythonCall, ', ')),
  },
  {
    family: 'olmo3',
    grammar: 'python',
    render: around('<function_calls>\n', '\n</function_calls>', each(pythonCall)),
  },
  {
    family: 'gemma3-tool-code',
    grammar: 'python',
    render: around('```tool_code\n', '\n```', each(pythonCall)),
  },
  {
    family: 'llama3-built-in',
    grammar: 'python',
    render: around(
      '<|python_tag|>',
      '',
      each((call, at) => pythonCall({ ...call, name: `${call.name}.call` }, at)),
    ),
  },
  {
    family: 'gemma4',
    grammar: 'gemma',
    ends: ['<|"|>'],
    render: each((call, at) => `<|tool_call>${gemmaCall('<|"|>')(call, at)}<tool_call|>`, ''),
  },
  {
    family: 'functiongemma',
    grammar: 'gemma',
    ends: ['<escape>'],
    render: each(
      (call, at) => `<start_function_call>${gemmaCall('<escape>')(call, at)}<end_function_call>`,
      '',
    ),
  },
  {
    family: 'kimi-k3',
    grammar: 'xtml',
    ends: ['<|close|>'],
    render: around(
      '<|open|>tools<|sep|>',
      '<|close|>tools<|sep|>',
      each(
        (call, at) =>
          `<|open|>call tool="${call.name}" index="${at + 1}"<|sep|>${pairs(call, (key, value) => `<|open|>argument key="${key}" type="${typeOf(value)}"<|sep|>${raw(value)}<|close|>argument<|sep|>`, '')}<|close|>call<|sep|>`,
        '',
      ),
    ),
  },
  {
    family: 'pythonic',
    grammar: 'python',
    isWholeReply: true,
    render: around('[', ']', each(pythonCall, ', ')),
  },
  {
    family: 'kimi-k3-with-blanks',
    grammar: 'xtml',
    ends: ['<|'],
    render: around(
      '<|open|> tools <|sep|>',
      '<|close|> tools <|sep|>',
      each(
        (call, at) =>
          `<|open|> call tool="${call.name}" index="${at + 1}"<|sep|>${pairs(call, (key, value) => `<|open|> argument key="${key}" type="${typeOf(value)}"<|sep|>${raw(value)}<|close|> argument <|sep|>`, '')}<|close|> call <|sep|>`,
        '',
      ),
    ),
  },
  {
    family: 'muse-without-start',
    grammar: 'invoke',
    ends: ['</atem:'],
    isWholeReply: true,
    render: each(
      (call, at) =>
        ` to=${call.name}<|message|>\n<atem:function_calls>\n${invoke('atem:')(call, at)}\n</atem:function_calls><|eom|>`,
      '<|start|>assistant',
    ),
  },
  { family: 'granite-pythonic', grammar: 'python', isWholeReply: true, render: each(pythonCall) },
  { family: 'llama3-json', grammar: 'json', isWholeReply: true, render: each(object('parameters'), '; ') },
  { family: 'xlam', grammar: 'json', isWholeReply: true, render: list('arguments') },
  {
    family: 'xlam-fence',
    grammar: 'json',
    isWholeReply: true,
    render: around('```json\n', '\n```', list('arguments')),
  },
  {
    family: 'llama.cpp',
    grammar: 'json',
    isWholeReply: true,
    render: (calls) => json({ tool_calls: calls.map(({ name, args }) => ({ name, arguments: args })) }),
  },
  {
    family: 'functionary-prefilled',
    grammar: 'name_json',
    isWholeReply: true,
    render: each(({ name, args }, index) => `${index === 0 ? '' : '>>>'}${name}\n${json(args)}`),
  },
  {
    family: 'rwkv',
    grammar: 'json_block',
    render: each((call, at) => `**Tool Call:**\n\n\`\`\`json\n${object('arguments')(call, at)}\n\`\`\``),
  },
];
