/** Texts that make parsers slow: something opened and never closed, something repeated without end. */
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
