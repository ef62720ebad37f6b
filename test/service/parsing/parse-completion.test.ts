import { describe, expect, test } from '@jest/globals';
import { parseCompletion } from '../../../src/service/parsing/parse-completion.js';
import { stream } from '../../support/parsing/properties.js';
import { argumentsOf, read } from '../../support/parsing/tools.js';

const pathA = { path: 'a' };

describe('where markers count (rules: markers, whole-reply-fence)', () => {
  test.each([
    ['bold', '**Action:** read(path="a")'],
    ['bold inside the colon', '**Action**: read(path="a")'],
    ['bold around the line', '**Action: read(path="a")**'],
    ['heading', '### Action: read(path="a")'],
    ['bold heading', '## **Action:** read(path="a")'],
    ['indented', '   Action: read(path="a")'],
    ['lower case', 'action: read(path="a")'],
    ['numbered label', 'Action 12: read(path="a")'],
    ['no space', 'Action:read(path="a")'],
    ['next line', 'Action:\n\nread(path="a")'],
    ['fence around the reply', '```\nThought: x\nAction: read(path="a")\n```'],
    ['fence after the label', 'Action:\n```python\nread(path="a")\n```'],
    ['fence on the same line', 'Action: ```read(path="a")```'],
    ['inline code after the label', 'Action: `read(path="a")`'],
    ['carriage returns', 'Thought: x\r\nAction: read(path="a")\r\n'],
  ])('a label counts: %s', (_, text) => {
    expect(argumentsOf(text)).toEqual(pathA);
  });

  test.each([
    ['in the middle of a line', 'I would run Action: read(path="a") here.'],
    ['blockquote', 'Log:\n\n> Action: read(path="a")'],
    ['table', '| Action: | read(path="a") |\nAction | read'],
    ['bullet', '- Action: read(path="a")'],
    ['number before it', '1. Action: read(path="a")'],
    ['inside a list item', '- step\n  Action: read(path="a")'],
    ['fence with prose before', 'Example:\n```\nAction: read(path="a")\n```'],
    ['fence that never closes', 'Example:\n~~~\nAction: read(path="a")'],
    ['inline code', '`Action: read(path="a")`'],
    ['inline code over lines', 'Write `\nAction: read(path="a")\n` to read.'],
    ['JSON string', '{"log": "x\nAction: read(path=\\"a\\")\n"}'],
    ['quoted', '"Action: read(path=\'a\')"'],
  ])('a label does not count: %s', (_, text) => {
    expect(read(text)).toMatchObject({ outcome: 'answer', action: null, answer: text.trim() });
  });

  test('a stray backtick in the thought does not hide the action after it', () => {
    expect(argumentsOf('Thought: the ` key\nAction: read(path="a")')).toEqual(pathA);
  });
});

describe('the first of action and answer wins (rule: first-outcome-wins)', () => {
  test('after a final answer everything is answer', () => {
    const text = 'Final Answer: like so\nAction: read(path="a")\nThought: x';
    expect(read(text)).toMatchObject({ action: null, answer: 'like so\nAction: read(path="a")\nThought: x' });
  });

  test('an answer after an action is discarded and reported', () => {
    const parsed = read('Action: read(path="a")\nObservation: ok\nFinal Answer: done');
    expect(parsed.action?.toolArgs).toEqual(pathA);
    expect(parsed.discarded).toEqual([
      { kind: 'observation', chars: 'Observation: ok'.length },
      { kind: 'answer', chars: 'Final Answer: done'.length },
    ]);
  });

  test.each([
    ['<final_answer>42</final_answer>', '42'],
    ['<final_answer>\n42\n</final_answer>\n', '42'],
    ['Final Answer: 42</final_answer>', '42'],
    ['Final Answer: close with `</final_answer>` always', 'close with `</final_answer>` always'],
    ['**Final Answer: 42**', '42'],
    ['```\nFinal Answer: 42\n```', '42'],
    ['Final Answer: see\n```js\nx\n```', 'see\n```js\nx\n```'],
    ['Answer: 42<|im_end|>', '42'],
    ['## Final Answer\n\n42', '42'],
    ['# **final answer** #\r\n42', '42'],
    ['**Final Answer**\n42', '42'],
    ['<answer>42</answer>', '42'],
    ['<answer>\n42\n</answer>\n', '42'],
    ['<answer>write `</answer>` and 42</answer>', 'write `</answer>` and 42'],
    ['Final Answer: <answer>42</answer>', '<answer>42</answer>'],
  ])('the answer of %j is %j', (text, answer) => {
    expect(read(text)).toMatchObject({ outcome: 'answer', answer, answerLabelled: true });
  });
});

test.each([
  ['a heading', '## Final Answer\n42\n'],
  ['a bold line', '**Final Answer**\n42\n'],
  ['a tag', '<answer>42</answer>\n'],
])('an action after %s is answer too (rules: markers, first-outcome-wins)', (_, answer) => {
  const { joined, completion } = stream(`I know.\n${answer}Action: read(path="a")`, [2]);
  expect(completion).toMatchObject({ action: null, thought: 'I know.', answerLabelled: true });
  expect(completion.answer).toMatch(/^42\s*Action: read/);
  expect(joined).toMatchObject({ draft: 'I know.', answer: completion.answer });
});

test.each([
  '## Final Answer of the tests\nAction: read(path="a")',
  '## Answer\nAction: read(path="a")',
  'Final Answer\nAction: read(path="a")',
  '**Final Answer\nAction: read(path="a")**',
  'The <answer> tag.\nAction: read(path="a")',
])('%j has no answer label (rule: markers)', (text) => {
  expect(read(text).action).not.toBeNull();
});

test.each([
  'Final Answer: 3, no\n</think>\nFinal Answer: 4',
  'Final Answer: a</think>b',
  'Thought: x\nFinal Answer: a\n</think>',
])('after a final answer a stray </think> is answer too (rule: first-outcome-wins): %j', (text) => {
  const { joined, completion } = stream(text, [3]);
  expect(completion).toMatchObject({ outcome: 'answer', reasoning: null });
  expect(completion.answer).toBe(text.slice(text.indexOf('Answer:') + 8));
  expect(joined.answer).toBe(completion.answer);
});

describe('the first action wins (rule: first-action-wins)', () => {
  test('literals are scanned before any cut at Observation', () => {
    const content = 'Observation: x\n<observation>\n```\nAction: read(path="b")\n</tool_call>';
    expect(argumentsOf(`Action: write_file(path="a", content="""${content}""")`)).toEqual({
      path: 'a',
      content,
    });
  });

  test('steps on one line give the first', () => {
    const parsed = read('Thought 2: x\nAction 2: search[Creed] Observation 2: [a] Thought 3: y');
    expect(parsed.action?.toolArgs).toEqual({ query: 'Creed' });
  });

  test('an action after a made-up observation is not taken', () => {
    const text = 'I looked.\nObservation: found it\nAction: write_file(path="a", content="")';
    expect(read(text)).toMatchObject({ outcome: 'answer', action: null, answer: text });
  });

  test.each([
    'Final Answer: 4\nObserv',
    'Final Answer: 4\nObservation:',
    'Final Answer: 4<|im_e',
    'Final Answer: 4</s>\n',
  ])('a stop word at the end is stripped and reported: %j', (text) => {
    const parsed = read(text);
    expect(parsed.answer).toBe('4');
    expect(parsed.discarded).toEqual([{ kind: 'stop', chars: expect.any(Number) }]);
  });

  test('html at the end of an answer is no stop word', () => {
    expect(read('Final Answer: <code>x</code>').answer).toBe('<code>x</code>');
  });
});

describe('the tool must be offered (rule: offered-tools)', () => {
  test.each([
    ['Action: read_file(path="a")', 'read_file'],
    ['Action: http.request(url="a")', 'http.request'],
    ['Action: send-mail(to="a")', 'send-mail'],
  ])('the longest name matches: %s', (text, name) => {
    expect(read(text).action?.toolName).toBe(name);
  });

  test.each([
    'Action: serch(query="x")',
    'Action: Search(query="x")',
    'Action: serch[x]',
    'Action: serch\nAction Input: {}',
  ])('a tool that is not offered is told with those that are: %j', (text) => {
    const parsed = read(text);
    expect(parsed).toMatchObject({ outcome: 'unknown_tool', action: null, thought: null, answer: text });
    expect(parsed.problem).toMatch(/^tool `[Ss]e?a?rch` is not offered; offered: read_file, read, /);
  });

  test.each([
    'None',
    'N/A',
    'none needed',
    '-',
    'Ask the user which file.',
    'None\nAction Input: None',
  ])('Action: %s is an answer', (content) => {
    const parsed = read(`Thought: x\nAction: ${content}\nThe answer is 4.`);
    expect(parsed).toMatchObject({ outcome: 'answer', action: null, thought: null });
    expect(parsed.answer).toBe(`x\nAction: ${content}\nThe answer is 4.`);
  });

  test.each([
    'read "a"',
    "read 'a' to see it",
    '`read` "a"',
    '**read** "a"',
    'read path="a"',
    'read: a.md',
    'read: path="a"',
    'read = "a"',
    'read -> a.md',
    'read_file a.md',
    'await read("a")',
    'const text = await read("a");',
    'text = read["a"]',
    '"read"',
    "'read': 'a'",
  ])('Action: %s starts with a tool but is no call: the model is told', (content) => {
    const { joined, completion } = stream(`Thought: x\nAction: ${content}\n`, [3]);
    expect(completion).toMatchObject({
      outcome: 'malformed_action',
      problem: expect.stringMatching(/^read(_file)?[ :].*write read(_file)?\(path/),
    });
    expect(joined.answer).toBe('');
    expect(read(`Action: ${content}`, { finishReason: 'length' }).outcome).toMatch(
      /truncated|malformed_action/,
    );
  });

  test.each([
    'read the file a.md',
    'search for it: the port',
    'read it, then search',
    'Read "a"?',
    'the tool is read: a',
    'return read later',
  ])('Action: %s is prose', (content) => {
    expect(read(`Action: ${content}`)).toMatchObject({ outcome: 'answer', action: null, problem: null });
  });

  test.each([
    'read: {"path": "a"}',
    'read {"path": "a"}',
    '"read"\nAction Input: {"path": "a"}',
  ])('Action: %s is a call', (content) => {
    expect(argumentsOf(`Action: ${content}`)).toEqual(pathA);
  });

  test('with no tool known any well-formed call is taken', () => {
    const parsed = parseCompletion('Action: anything.at-all(a=1)', []);
    expect(parsed.action).toMatchObject({ toolName: 'anything.at-all', toolArgs: { a: 1 } });
    expect(parseCompletion('Action: anything(1)', [])).toMatchObject({
      outcome: 'malformed_action',
      problem: 'argument 1 has no name',
    });
  });

  test('names that hold spaces or other scripts are found', () => {
    const odd = [
      { name: 'look up', parameters: ['q'] },
      { name: '検索', parameters: ['q'] },
    ];
    expect(parseCompletion('Action: look up(q="x")', odd).action?.toolName).toBe('look up');
    expect(parseCompletion('Action: 検索("x")', odd).action?.toolArgs).toEqual({ q: 'x' });
  });
});

describe('a label at the start of a line ends a call that is not closed (rule: literals-first)', () => {
  test.each([
    ['nothing before it', 'Action: read_file(\nObservation: {"ok": true}'],
    ['nothing before it, closed later', 'Action: read_file(\nObservation: {"ok": true})'],
    ['after a comma', 'Action: read_file(path="a",\nObservation: {"ok": true})'],
    ['half an argument', 'Action: read_file(path=\nObservation: done)'],
  ])('malformed: %s', (_, text) => {
    expect(read(text)).toMatchObject({ outcome: 'malformed_action', action: null, answer: text });
    expect(parseCompletion(text, []).action).toBeNull();
  });

  test('after a whole argument the call is repaired', () => {
    expect(read('Action: read_file(path="a"\nObservation: {"ok": true}')).toMatchObject({
      action: { toolArgs: pathA },
      repairs: ['missing_close'],
    });
  });

  test('a label that is a parameter of the tool is one', () => {
    const odd = [{ name: 'note', parameters: ['Observation', 'action'] }];
    expect(parseCompletion('Action: note(\nObservation: "x",\naction: 1)', odd).action?.toolArgs).toEqual({
      Observation: 'x',
      action: 1,
    });
    expect(parseCompletion('Action: note(\n  action="x")', []).action?.toolArgs).toEqual({ action: 'x' });
  });
});

describe('Action Input (rule: two-line-action)', () => {
  test.each([
    ['JSON', 'Action: read_file\nAction Input: {"path": "a", "start_line": 3}', { path: 'a', start_line: 3 }],
    [
      'Python',
      "Action: read_file\nAction Input: {'path': 'a', 'start_line': None}",
      { path: 'a', start_line: null },
    ],
    ['fenced', 'Action: read\nAction Input:\n```json\n{"path": "a"}\n```', pathA],
    ['several lines', 'Action: read\nAction Input: {\n  "path":\n  "a"\n}', pathA],
    [
      'plain text',
      'Action: search\nAction Input: who wrote it?\nObservation: me',
      { query: 'who wrote it?' },
    ],
    [
      'plain text of several lines',
      'Action: search\nAction Input: select 1\nfrom t',
      { query: 'select 1\nfrom t' },
    ],
    ['a quoted string', 'Action: search\nAction Input: "who?"', { query: 'who?' }],
    ['a name in inline code', 'Action: `search`\nAction Input: who?', { query: 'who?' }],
    ['nothing', 'Action: list_tools\nAction Input:', {}],
    ['nothing before a label', 'Action: read\nAction Input:\nObservation: a', {}],
    ['nothing before a bold label', 'Action: read\nAction Input:\n\n**Thought:** a', {}],
    ['nothing before another action', 'Action: read\nAction Input: \nAction: search("a")', {}],
    ['a tool without parameters', 'Action: list_tools', {}],
  ])('%s', (_, text, expected) => {
    expect(argumentsOf(text)).toEqual(expected);
  });

  test.each([
    ['where it ends is unclear', 'Action: search\nAction Input: one\n\nI will wait.'],
    ['arguments without parentheses', 'Action: read_file\nAction Input: path="a", start_line=3'],
    ['broken JSON', 'Action: read\nAction Input: {"path": "a" "b": 1}'],
    ['a name without arguments', 'Action: read_file'],
  ])('malformed: %s', (_, text) => {
    expect(read(text)).toMatchObject({ outcome: 'malformed_action', action: null, answer: text });
  });
});

describe('JSON (rule: json-call)', () => {
  test.each([
    '{"name": "read", "arguments": {"path": "a"}}',
    '{"action": "read", "action_input": {"path": "a"}}',
    '{"tool": "read", "args": {"path": "a"}}',
    '{"tool_name": "read", "tool_args": {"path": "a"}}',
    '{"function": "read", "parameters": {"path": "a"}}',
    '{"name": "read", "params": "{\\"path\\": \\"a\\"}"}',
    '{"name": "read", "arguments": "a"}',
    '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}}, {"name": "list_tools"}]}',
    '[{"name": "read", "arguments": {"path": "a"}}]',
    '{"tool_call": {"name": "read", "arguments": {"path": "a"}}}',
  ])('%s', (blob) => {
    expect(read(`Action: ${blob}`)).toMatchObject({
      dialect: 'json',
      action: { toolName: 'read', toolArgs: pathA, raw: blob },
    });
  });

  test.each([
    ['{"path": "a"}', /names no tool/],
    ['{"name": "read", "path": "a"}', /under "arguments"/],
  ])('arguments are never dropped: %s', (blob, problem) => {
    expect(read(`Action: ${blob}`)).toMatchObject({
      outcome: 'malformed_action',
      problem: expect.stringMatching(problem),
    });
  });
});

describe('tags (rule: tag-call)', () => {
  test.each([
    '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>',
    '<tool_code><name>read</name><parameters>{"path": "a"}</parameters></tool_code>',
    '<function_call>{"name": "read", "arguments": {"path": "a"}}</function_call>',
    '<tool_code>read(path="a")</tool_code>',
    '<tool_call>```json\n{"name": "read", "arguments": {"path": "a"}}\n```</tool_call>',
  ])('no marker is needed: %s', (tag) => {
    expect(read(`I will read.\n${tag}\nObservation: x`)).toMatchObject({
      dialect: 'tag',
      thought: 'I will read.',
      action: { toolArgs: pathA, raw: tag },
    });
    expect(read(`I will read: ${tag}`).action?.raw).toBe(tag);
  });

  test('a missing closing tag is fine if the JSON is whole', () => {
    expect(argumentsOf('<tool_call>{"name": "read", "arguments": {"path": "a"}}')).toEqual(pathA);
    expect(argumentsOf('<tool_code><name>read</name><parameters>{"path": "a"}')).toEqual(pathA);
  });

  const tag = '<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>';
  test.each([
    ['an answer', `Final Answer: emit ${tag}`],
    ['inline code', `Models emit \`${tag}\` here.`],
    ['inline code after a stray backtick', `Not \`\` but the \` or \`${tag}\`.`],
    ['longer inline code', `Emit \`\`a \` b ${tag}\`\`.`],
    ['a fence in prose', `Like so:\n\`\`\`\n${tag}\n\`\`\``],
    ['a blockquote', `> ${tag}`],
    ['reasoning', `<think>${tag}</think>Done.`],
    ['a JSON string', `{"note": "${tag.replaceAll('"', '\\"')}"}`],
    ['mention only', 'The <tool_call> tag calls a tool.'],
    ['broken in the middle of a line', 'Put <tool_call>{…}</tool_call> there.'],
  ])('ignored in %s', (_, text) => {
    expect(read(text)).toMatchObject({ outcome: 'answer', action: null });
  });

  test.each([
    'parameter',
    'params',
    'arguments',
  ])('</%s> for </parameters> is reported (rule: repairs)', (close) => {
    const tag = `<tool_code><name>read</name><parameters>{"path": "a"}</${close}></tool_code>`;
    expect(read(tag)).toMatchObject({
      action: { toolArgs: pathA, raw: tag },
      confidence: 'repaired',
      repairs: ['mismatched_tag'],
    });
  });

  test('a broken call in a tag of its own line is malformed', () => {
    expect(read('<tool_call>\n{"name": "read", "arguments": {"path": }}\n</tool_call>').outcome).toBe(
      'malformed_action',
    );
  });
});

describe('brackets (rule: bracket-call)', () => {
  test.each([
    ['Action: search[a [b] c]', 'a [b] c'],
    ['Action: search["a" and "b"]', '"a" and "b"'],
    ['Action: search["quoted"]', 'quoted'],
    ['Action: search["A" "1939"]', '"A" "1939"'],
    ['Action: search[3]', '3'],
    ['Action: search[ x ]', ' x '],
    ['Action: search[a [b]]<|im_end|> [1]', 'a [b]'],
    ['Action: search[a]<|im_end|><|im_start|>user [x]', 'a'],
    ['Action: search[the <|im_end|> token]', 'the <|im_end|> token'],
  ])('%s', (text, query) => {
    expect(read(text)).toMatchObject({ dialect: 'bracket', action: { toolArgs: { query } } });
  });

  test('without `]` it is malformed', () => {
    expect(read('Action: search[abc\nObservation: x]').outcome).toBe('malformed_action');
  });
});

describe('lists and statements (rule: listed-call)', () => {
  test.each([
    ['[read(path="a")]', '[read(path="a")]'],
    ['[read(path="a"), read(path="b")]', 'read(path="a")'],
    [`['read(path="a")']`, `['read(path="a")']`],
    ['read(path="a");', 'read(path="a")'],
    ['read(path="a") and then I wait', 'read(path="a")'],
  ])('%s', (text, raw) => {
    const action = read(`Action: ${text}`).action;
    expect(action?.toolArgs).toEqual(pathA);
    expect(raw.endsWith(action?.raw.replace(/^\[/, '') ?? 'x')).toBe(true);
  });
});

describe('a bare call (rule: bare-call)', () => {
  test.each([
    'read(path="a")',
    ' read("a");\n',
    '```\nread(path="a")\n```',
    '<think>hm</think>\nread(path="a")',
  ])('%j is an action', (text) => {
    expect(read(text)).toMatchObject({ dialect: 'bare', thought: '', action: { toolArgs: pathA } });
  });

  test('a whole reply that is one JSON call is an action', () => {
    expect(read('{"name": "read", "arguments": {"path": "a"}}')).toMatchObject({
      dialect: 'json',
      action: { toolArgs: pathA },
    });
  });

  test.each([
    'read(path="a") reads a file.',
    'Thought: x\nread(path="a")',
    'unknown(path="a")',
    'read(path)',
    'read(path="a"',
    '`read(path="a")`',
    'def read(path="a"):\n  pass',
    '{"summary": "x"}',
    '{"name": "Ada", "arguments": {}}',
  ])('%j is an answer', (text) => {
    expect(read(text)).toMatchObject({ outcome: 'answer', action: null });
  });
});

describe('what is cut off never runs (rule: repairs)', () => {
  test.each([
    'Action: write_file(path="a", content="def f():',
    'Action: write_file(path="a", content=',
    'Action: write_file(path="a",',
    'Action: write_file(',
    'Action: write_file',
    'Action: wri',
    'Action: {"name": "read", "arguments": {"path": "a"',
    'Action: search[abc',
    'Action: read_file\nAction Input: {"path": "a',
    'Action: read_file\nAction Inp',
    '<tool_call>\n{"name": "read", "argu',
    'Action: read_file(path="a", start_line=12',
    'Action: search\nAction Input: delete the fi',
  ])('%j is truncated when the output limit was reached', (text) => {
    expect(read(text, { finishReason: 'length' })).toMatchObject({
      outcome: 'truncated',
      action: null,
      answer: text,
    });
    expect(read(text, { finishReason: 'stop' }).outcome).not.toBe('truncated');
  });

  test.each([
    'Action: read(path="a")',
    'Action: read\nAction Input: {"path": "a"}',
    '<tool_call>{"name": "read", "arguments": {"path": "a"}}',
  ])('%j is whole all the same', (text) => {
    expect(read(text, { finishReason: 'length' }).action?.toolArgs).toEqual(pathA);
  });
});

describe('reasoning (rule: thinking)', () => {
  test.each([
    ['closed', '<think>\nAction: read(path="b")\n</think>\nFinal Answer: 4', 'Action: read(path="b")'],
    ['orphan-closed', 'Action: read(path="b")\n</think>\n\nFinal Answer: 4', 'Action: read(path="b")'],
    ['on one line', '<think>Action: x</think>Final Answer: 4', 'Action: x'],
    ['twice', '<think>a</think>\n<think>b</think>Final Answer: 4', 'a\n\nb'],
  ])('%s', (_, text, reasoning) => {
    expect(read(text)).toMatchObject({ outcome: 'answer', answer: '4', thought: null, reasoning });
  });

  test('unclosed, it is all there is', () => {
    expect(read('<think>\nAction: read(path="a")')).toMatchObject({
      outcome: 'empty',
      answer: null,
      reasoning: 'Action: read(path="a")',
    });
  });

  test('reasoning of a separate field is passed on and never read', () => {
    const parsed = read('Final Answer: 4', { reasoning: 'Action: read(path="a")' });
    expect(parsed).toMatchObject({ reasoning: 'Action: read(path="a")', thought: null, answer: '4' });
  });

  test('a tag inside an argument is an argument', () => {
    const content = 'a\n<think>b</think>\n</think>';
    expect(read(`Action: write_file(path="a", content="${content}")`)).toMatchObject({
      action: { toolArgs: { path: 'a', content } },
      reasoning: null,
    });
  });
});

describe('thought and answer (rule: thought-and-answer)', () => {
  test.each([
    ['labelled', 'Thought: one\ntwo\n\nthree\nAction: read("a")', 'one\ntwo\n\nthree'],
    ['unlabelled', 'one\ntwo\nAction: read("a")', 'one\ntwo'],
    ['both', 'Well.\nThought: one\nAction: read("a")', 'Well.\none'],
    ['several labels', 'Thought: one\nThought: two\nAction: read("a")', 'one\ntwo'],
    ['around reasoning', 'one\n<think>x</think>\nAction: read("a")', 'one'],
    ['a code block first', '```js\nx\n```\none\nAction: read("a")', '```js\nx\n```\none'],
    ['a fence around all', '```js\none\nAction: read("a")\n```', 'one'],
    ['none', 'Action: read("a")', ''],
  ])('before an action: %s', (_, text, thought) => {
    expect(read(text).thought).toBe(thought);
  });

  test.each([
    ['labelled', 'Thought: x\ny\nFinal Answer: 4', 'x\ny'],
    ['unlabelled', 'Sure!\nFinal Answer: 4', 'Sure!'],
    ['both', 'Well.\nThought: one\n<final_answer>4</final_answer>', 'Well.\none'],
  ])('before a labelled answer too: %s', (_, text, thought) => {
    expect(read(text)).toMatchObject({ thought, answer: '4', discarded: [] });
  });

  test.each([
    ['Plain words.\n\nMore.', 'Plain words.\n\nMore.'],
    ['Thought: The answer is 42.', 'The answer is 42.'],
    ['```\nThought: x\n```', 'x'],
    ['```python\nx\n```', '```python\nx\n```'],
    ['Try this:\nThought: is a label', 'Try this:\nThought: is a label'],
  ])('without label %j is wholly the answer', (text, answer) => {
    expect(read(text)).toMatchObject({ outcome: 'answer', answer, thought: null, answerLabelled: false });
  });

  test('prose without a label is said to be only taken for an answer, unless no label was taught (rule: repairs)', () => {
    expect(read('It is 4.')).toMatchObject({ confidence: 'repaired', repairs: ['unlabelled_answer'] });
    expect(read('Final Answer: It is 4.')).toMatchObject({ confidence: 'exact', repairs: [] });
    expect(read('It is 4.', { labelsExpected: false })).toMatchObject({ confidence: 'exact', repairs: [] });
  });

  test.each(['', ' \n\t', '</s>', '<think>x</think>', 'Final Answer:'])('%j says nothing', (text) => {
    expect(read(text)).toMatchObject({ outcome: 'empty', answer: null, action: null, problem: null });
  });
});
