/**
 * Texts that make badly written parsers slow, such as endless repetitions, and quotes or brackets that are never
 * closed.
 */
export const hostileTexts: Readonly<Record<string, (length: number) => string>> = {
  'unclosed quote': (length) => fill(length, 'Action: read_file(path="', 'a b '),
  'unclosed triple quote': (length) => fill(length, 'Action: read_file(path="""', '"" x'),
  'quotes only': (length) => fill(length, 'Action: read_file(path=', '"'),
  'inner quotes': (length) => fill(length, 'Action: read_file(path="', 'say "hi" , path=" '),
  backslashes: (length) => fill(length, 'Action: read_file(path="', '\\'),
  'unclosed brackets': (length) => fill(length, 'Action: read_file(', '['),
  'bracket lines': (length) => fill(length, '', '[\n'),
  'unclosed braces': (length) => fill(length, 'Action: ', '{"a":'),
  'unclosed fences': (length) => fill(length, 'x\n', '```\ny\n'),
  backticks: (length) => fill(length, '', '` '),
  'backtick runs': (length) => backtickRuns(length),
  'unclosed tags': (length) => fill(length, 'x ', '<tool_call>{"a": '),
  'named tags': (length) => fill(length, '', 'x <tool_call><name>\n'),
  'unclosed <think>': (length) => fill(length, 'x ', '<think>'),
  '<think> pairs': (length) => fill(length, '', 'x<think></think>'),
  'stray </think>': (length) => fill(length, '', 'Action: f("\n</think>\n'),
  'line of Action:': (length) => fill(length, '', 'Action:'),
  'Action: and blanks': (length) => fill(length, 'Action:', ' \n'),
  'ten thousand actions': (length) => fill(length, '', 'Action: read_file(path="a")\n'),
  'actions in prose': (length) => fill(length, '', 'Action: go there\n'),
  'actions in inline code': (length) => fill(length, '`\n', 'Action: f(x=1)\n', '`'),
  spaces: (length) => fill(length, '', ' '),
  newlines: (length) => fill(length, '', '\n'),
  'one word': (length) => fill(length, '', 'a'),
  'one number': (length) => fill(length, 'Action: read_file(start_line=', '1', ')'),
  'many arguments': (length) => fill(length, 'Action: read_file(', 'a=1, ', ')'),
  comments: (length) => fill(length, 'Action: read_file(', '# a\n'),
  'half stop words': (length) => fill(length, '', '\nObserv'),
  'lone surrogates': (length) => fill(length, 'Action: read_file(path="', '\ud800'),
  NUL: (length) => fill(length, '', '\u0000'),
  'right-to-left marks': (length) => fill(length, '', '\u200f'),
  'our fences': (length) => fill(length, 'x ', '<file mark="0123456789abcdef">'),
  'our fences, half': (length) => fill(length, 'x ', '<file '),
  'our closing tags': (length) => fill(length, 'x\n', '</file 0123456789abcdef>\n'),
  'one of our tags, never closed': (length) => fill(length, 'x <file ', ' mark="'),
  'chat tokens': (length) => fill(length, '', '<|im_start|>'),
  'chat tokens before a call': (length) => fill(length, 'Action: ', '<|im_start|>assistant\n'),
  strikes: (length) => fill(length, 'x <s>', '</s>'),
  'quoted lines': (length) => fill(length, 'x\n', '> a\n'),
  'a fence in a thought': (length) => fill(length, 'Thought: x\n```\n', 'a b c\n'),
  'labels in a call': (length) => fill(length, 'Action: f(x=1,', '\n  Observation:'),
  'labels of answers': (length) => fill(length, '```\nFinal Answer: x\n', '```\na\n'),
  'JSON calls on lines': (length) => fill(length, 'x\n', '{"name": "f", "arguments": {}}\n'),
  'inner quotes, no end': (length) => fill(length, 'Action: f(x="a"b" , ', '"c"d" , '),
  'numbers with a spelling': (length) => fill(length, 'Action: f(x=[', '1.10, ', '])'),
  'CR LF': (length) => fill(length, '', '\r\n'),
};

function fill(length: number, prefix: string, unit: string, suffix = ''): string {
  const room = Math.max(0, length - prefix.length - suffix.length);
  return prefix + unit.repeat(Math.floor(room / unit.length)) + suffix;
}

function backtickRuns(length: number): string {
  const parts: string[] = [];
  for (let run = 1, total = 0; total < length; run += 1) {
    parts.push(`${'`'.repeat(run)} `);
    total += run + 1;
  }
  return parts.join('').slice(0, length);
}

/** Tool descriptions in free text. They make badly written parsers of tool signatures slow. */
export const hostileSegments: Readonly<Record<string, (length: number) => string>> = {
  'bullets under a heading': (length) => numbered(length, '# tool\n', (at) => `- p${at}: x\n`),
  'bullets under a signature': (length) => numbered(length, '- tool(a, b)\n', (at) => `- p${at}: x\n`),
  'short lines': (length) => fill(length, '', '1\n'),
  'blank lines': (length) => fill(length, '', ' \n'),
  newlines: (length) => fill(length, '', '\n'),
  'lines with a colon': (length) => fill(length, '', 'Note: so\n'),
  'lines with code': (length) => fill(length, '', 'A `b` c\n'),
  signatures: (length) => numbered(length, '', (at) => `f${at}(a, b)\n`),
  'signatures on one line': (length) => numbered(length, 'Tools: ', (at) => `f${at}(a, b), `),
  'opening parentheses': (length) => fill(length, '', 'a(\n'),
  'lists that close too late': (length) => fill(length, '', `${'a(\n'.repeat(600)})`),
  'comments in a list': (length) => fill(length, 'a(', '//\n'),
  'opening brackets': (length) => fill(length, '', '[\n'),
  'opening quotes': (length) => fill(length, '', '{"\n'),
  'JSON cut off': (length) => fill(length, '', '{"name":\n'),
  definitions: (length) => numbered(length, '', (at) => `{"name": "t${at}", "parameters": {"a": "x"}}\n`),
  'parameters of one definition': (length) =>
    `${numbered(length, '{"name": "t", "parameters": {', (at) => `"p${at}": "x", `)}"q": "x"}}`,
};

function numbered(length: number, prefix: string, unit: (at: number) => string): string {
  const parts = [prefix];
  for (let at = 0, total = prefix.length; total < length; at += 1) {
    const part = unit(at);
    parts.push(part);
    total += part.length;
  }
  return parts.join('');
}
