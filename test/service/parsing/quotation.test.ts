import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderCall, renderXmlCall } from '../../../src/conversation/call-text.js';
import { fence, fenceTags } from '../../../src/service/context/fence.js';
import { parseCompletion } from '../../../src/service/parsing/parse-completion.js';
import { anyText, chunkLengths } from '../../support/parsing/arbitraries.js';
import { stream, streamsToTheSameResult } from '../../support/parsing/properties.js';
import { read, tools } from '../../support/parsing/tools.js';

const call = 'read(path="a")';
const json = '{"name": "read", "arguments": {"path": "a"}}';
const acting = `Action: ${call}\n`;
const shown = fence({ tag: 'file', attributes: { path: 'a.md' }, text: acting }).text;

describe('what a model repeats of what it was shown is quotation (rule: echoed-fence)', () => {
  test.each([
    ['a file', `I read:\n${shown}`],
    ['nothing before it', shown],
    ['an observation', fence({ tag: 'observation', attributes: { tool: 'read' }, text: acting }).text],
    ['in the middle of a line', `It says ${shown}`],
    ['after a label', `Thought: it says\n${shown}`],
    [
      'in a code fence that the quoted text closes',
      `So:\n\`\`\`\n${shown.replace(acting, `\`\`\`\n${acting}`)}`,
    ],
    ['in a list item', `- ${shown}`],
    ['beside the marks of a fence', `\`\`\`${shown}`],
    ['no closer', `<file path="a.md" mark="0123456789abcdef">\n${acting}`],
    ['the closer of another mark', `<file mark="0123456789abcdef">\n</file fedcba9876543210>\n${acting}`],
    ['a tag on the line of the opener', `<focus mark="0123456789abcdef"><tool_call>${json}</tool_call>`],
    ['a tag below it', `<tasks mark="0123456789abcdef">\n<tool_call>${json}</tool_call>\n`],
    ['a call on the line of the closer', `${shown.trimEnd()} <tool_call>${json}</tool_call>`],
  ])('%s', (_, text) => {
    expect(read(text)).toMatchObject({ action: null, outcome: 'answer', problem: null });
  });

  test('after the closer the reply goes on', () => {
    expect(read(`I read:\n${shown}Action: list_tools()`).action?.toolName).toBe('list_tools');
  });

  test('a tag that is only mentioned quotes nothing', () => {
    expect(read(`Thought: the \`<file mark="0123456789abcdef">\` tag\n${acting}`).action).not.toBeNull();
  });

  test.each([
    ['no mark', `<file path="a.md">\n${acting}</file>\n`],
    ['no attribute', `<observation>\n${acting}</observation>\n`],
    ['half a mark', `<file path="a.md" mark="\n${acting}</file 0123456789abcdef>\n`],
    ['no end of the tag', `<file path="a.md"\n${acting}</file>\n`],
    ['the content on its line', `<focus><tool_call>${json}</tool_call></focus>\n`],
    ['in a list item', `- <file path="a.md">\n${acting}</file>\n`],
    ['in a block quote', `> <file path="a.md">\n${acting}</file>\n`],
    ['in a code fence', `So:\n\`\`\`\n<file path="a.md">\n\`\`\`\n${acting}\n</file>\n`],
  ])('an opener without its mark quotes up to the closer of that tag: %s', (_, text) => {
    expect(read(text)).toMatchObject({ action: null, outcome: 'answer', problem: null });
    const { completion } = stream(`${text}Action: list_tools()`, [3]);
    if (!text.includes('```')) expect(completion.action?.toolName).toBe('list_tools');
  });

  test.each([
    ['no closer', `<file path="a.md">\n${acting}`],
    ['no attribute, no closer', `<observation>\n${acting}`],
    ['the closer of another tag', `<file path="a.md">\n</focus>\n${acting}`],
    ['a closer that is only mentioned', `<file path="a.md">\n\`</file>\`\n${acting}`],
    ['a tag below it', `I look.\n<tasks>\n<tool_call>${json}</tool_call>\n`],
  ])('where it is not closed nothing acts either, and the model is told how to act: %s', (_, text) => {
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({
      action: null,
      outcome: 'answer',
      answer: text.trim(),
      problem: expect.stringMatching(
        /^if you meant to act, .*`read` stands in a quotation that is not closed/,
      ),
    });
    expect(joined.draft).toBe(text.trim());
  });

  test.each([
    ['in the middle of a line', `The <file> tag.\n${acting}`],
    ['empty', `<file path="a.md" />\n${acting}`],
    ['a longer name', `<files>\n${acting}`],
    ['in inline code', `\`<file>\`\n${acting}`],
    ['its closer alone', `</file>\n${acting}`],
  ])('what is no such opener quotes nothing: %s', (_, text) => {
    expect(read(text).action).not.toBeNull();
  });

  const args = fc.constant({ path: 'a' });
  const dialects = fc.constantFrom<(written: Record<string, unknown>) => string>(
    (written) => `Action: ${renderCall('read', written)}`,
    (written) => renderXmlCall('read', written),
    (written) => `<tool_call>${JSON.stringify({ name: 'read', arguments: written })}</tool_call>`,
    (written) => `Action: ${JSON.stringify({ name: 'read', arguments: written })}`,
    (written) => `Action: read\nAction Input: ${JSON.stringify(written)}`,
    () => 'Action: read[a]',
    () => `**Action:**\n\`\`\`python\n${call}\n\`\`\``,
    () => call,
  );
  const content = fc
    .array(
      fc.oneof(
        fc.tuple(dialects, args).map(([write, written]) => write(written)),
        anyText,
      ),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((parts) => parts.join('\n'));
  const echo = fc
    .tuple(fc.constantFrom(...fenceTags), content)
    .map(([tag, text]) => fence({ tag, attributes: { path: 'a' }, text }).text);
  /** Marks and attributes as a model loses them, in the opener and in the closer. */
  const broken = fc.constantFrom<(whole: string) => string>(
    (whole) => whole.replaceAll(/(?: mark="[0-9a-f]{16}"| [0-9a-f]{16}(?=>\n$))/g, ''),
    (whole) => whole.replace(/^(<\w+)[^>]*/, '$1').replace(/ [0-9a-f]{16}(?=>\n$)/, ''),
    (whole) => whole.replace(/(?<=^<[^>]*mark=")[0-9a-f]{16}/, ''),
    (whole) => whole.replace(/(?<=^<[^>]*mark=")[0-9a-f]{8}/, ''),
    (whole) => whole.replace(/(?<=^<[^>]*)mark="[0-9a-f]{16}">/, 'mark="'),
    (whole) => whole.replace(/(?<=^<[^>]*) mark=.{18}>/, '>').replace(/<\/\w+ [0-9a-f]{16}>\n$/, ''),
    (whole) => whole.replace(/ [0-9a-f]{16}(?=>\n$)/, ''),
    (whole) => whole.replace(/(?<=^<[^>]*) mark=/, '\n  mark='),
    (whole) => whole.replace(/(?<=^<[^>]*) mark=.{18}>/, ' mark=>').replaceAll('="a"', '=a'),
  );
  const brokenEcho = fc.tuple(echo, broken).map(([whole, lose]) => lose(whole));
  const before = fc.constantFrom(
    '',
    'It says:\n',
    'Thought: I look.\n',
    '```\n',
    'So:\n```xml\n',
    '> ',
    '# The file\n\n',
  );

  test('3,000 echoes of files and observations that hold actions in all dialects: no action', () => {
    fc.assert(
      fc.property(before, fc.array(echo, { minLength: 1, maxLength: 3 }), fc.nat(), (lead, echoes, cutAt) => {
        const whole = lead + echoes.join('');
        // cut off anywhere after its first opener, as by an output limit
        const opener = whole.indexOf('>') + 1;
        const text = cutAt % 3 === 0 ? whole.slice(0, Math.max(opener, cutAt % whole.length)) : whole;
        expect(parseCompletion(text, tools).action).toBeNull();
        expect(parseCompletion(text, []).action).toBeNull();
      }),
      { numRuns: 3000 },
    );
  });

  test('3,000 echoes that begin a line and lost their marks, attributes or closers: no action', () => {
    fc.assert(
      fc.property(
        before,
        fc.array(brokenEcho, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        (lead, echoes, cutAt) => {
          const whole = lead + echoes.join('\n');
          const opener = lead.length + '<observation>'.length;
          const text = cutAt % 3 === 0 ? whole.slice(0, Math.max(opener, cutAt % whole.length)) : whole;
          expect(parseCompletion(text, tools).action).toBeNull();
          expect(parseCompletion(text, []).action).toBeNull();
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('an echo streams to the same result (rule: deltas-join)', () => {
    fc.assert(
      fc.property(before, fc.oneof(echo, brokenEcho), chunkLengths, (lead, each, lengths) =>
        streamsToTheSameResult(lead + each, lengths),
      ),
      {
        numRuns: 300,
      },
    );
  });
});

describe('a closing tag of ours that nothing opened is dropped and reported (rule: echoed-fence)', () => {
  const closer = '</observation a6aa0a54f6b94fa8>';
  test.each([
    [`It is 4.\n${closer}`, 'It is 4.'],
    [`Final Answer: 4\n${closer}\n`, '4'],
    [`Final Answer: a ${closer}b`, 'a b'],
    [`${closer}\nIt is 4.`, 'It is 4.'],
  ])('%j', (text, answer) => {
    const { joined, completion } = stream(text, [4]);
    expect(completion).toMatchObject({ outcome: 'answer', answer });
    expect(completion.discarded).toContainEqual({ kind: 'fence', chars: closer.length });
    expect(joined.draft + joined.answer).toBe(answer);
  });

  test.each([
    `Close it with \`${closer}\`.`,
    `Final Answer: ${shown}so`,
  ])('it stays where it means something: %j', (text) => {
    expect(read(text).answer).toBe(text.replace('Final Answer: ', '').trim());
  });
});

describe('an action in the fence that ends the reply (rule: closing-fence)', () => {
  test.each([
    ['a labelled action', `Thought: I read.\n\`\`\`\n${acting}\`\`\``, 'I read.'],
    ['a tag', `Thought: I read.\nNow.\n\`\`\`xml\n<tool_call>${json}</tool_call>\n\`\`\`\n`, 'I read.\nNow.'],
    ['two lines', 'Thought: I read.\n```\nAction: read\nAction Input: {"path": "a"}\n```', 'I read.'],
  ])('after a labelled thought it is taken, as repaired: %s', (_, text, thought) => {
    const { joined, completion } = stream(text, [5]);
    expect(completion).toMatchObject({
      outcome: 'action',
      thought,
      confidence: 'repaired',
      repairs: ['closing_fence'],
      action: { toolArgs: { path: 'a' } },
    });
    expect(joined).toMatchObject({ thought, draft: '', answer: '' });
  });

  test.each([
    ['after prose, a labelled action', `I read:\n\`\`\`\n${acting}\`\`\``],
    ['after prose, a tag', `I read:\n\`\`\`\n<tool_call>${json}</tool_call>\n\`\`\``],
    ['after prose, JSON', `I read:\n\`\`\`json\n${json}\n\`\`\``],
    ['after a labelled thought, JSON', `Thought: I read.\n\`\`\`json\n${json}\n\`\`\``],
    ['after prose, a plain call', 'Like so:\n```python\nread(path="a")\n```'],
    ['after a labelled thought, a plain call', `Thought: I read.\n\`\`\`\n${call}\n\`\`\``],
    ['brackets on a last line', 'I will read it.\nread[a]'],
    ['after prose, a fence that is not closed', `I read:\n\`\`\`\n${acting}`],
    ['a call on a last line after prose', `I will read it.\n\n${call}`],
    ['a call on a last line after a thought', `Thought: I read.\n${call}\n`],
    ['JSON on a last line', `I will read it.\n${json}`],
    ['a last line in inline code', `I will read it.\n\`${call}\``],
    ['a last line in bold', `I will read it.\n**${call}**`],
    ['a label in the line of the thought', `Thought: I read. Action: ${call}`],
    ['a label in bold within a line', `I read. **Action:** ${call}`],
    ['a label and inline code within a line', `I read. \`Action: ${call}\``],
    ['a label and JSON within a line', `Thought: I read. Action: ${json}`],
    ['a label within a line, and a made-up observation', `Thought: I read. Action: ${call}\nObservation: y`],
    ['a label within a line, and its input', 'Thought: I read. Action: read\nAction Input: {"path": "a"}'],
    ['a label with a dash', `Action - ${call}`],
    ['a label with an arrow', `Action -> ${call}`],
    ['a label without a colon', `Action ${call}`],
    ['a label that holds the call', `Thought: I read.\nAction(${call})`],
    ['a label with an equals sign', `Action = ${call}`],
    ['a call on several lines after a label within a line', 'Thought: I read. Action: read(\n  path="a"\n)'],
    ['a labelled list item that ends the reply', `Thought: I read.\n1. Action: ${call}\n`],
    ['a list item with a label in bold', `1. **Action** - ${call}`],
  ])('else nothing runs, and the model is told how to act: %s', (_, text) => {
    expect(read(text)).toMatchObject({
      outcome: 'answer',
      action: null,
      problem: expect.stringMatching(/^if you meant to act, .*`read`/),
    });
  });

  test.each([
    ['more than the action in it', `Thought: x\n\`\`\`\n${acting}Observation: y\nFinal Answer: z\n\`\`\``],
    ['text after it', `Thought: x\n\`\`\`\n${acting}\`\`\`\nThat is the form.`],
    ['words beside its opening marks', `Thought: x\n\`\`\`So I do:\n${acting}\`\`\``],
    ['a tool that is not offered', 'Thought: x\n```\nAction: serch(query="a")\n```'],
    ['code', 'Like so:\n```python\ntext = read(path="a")\n```'],
    ['a call in a list', `Steps:\n- ${call}`],
    ['a labelled list item with text after it', `Steps:\n1. Action: ${call}\n2. Observation: y`],
    ['a list item that goes on after the call', `Steps:\n1. Action: ${call} reads it.`],
    ['a labelled list item in a fence', `So:\n\`\`\`\nx\n- Action: ${call}\n\`\`\``],
    ['a labelled list item in a quotation', `So:\n> 1. Action: ${call}`],
    ['an earlier paragraph’s label', `I write Action: read(\n\nor so.\n\npath="a")`],
    ['a call in a sentence', `I will read it.\n${call} reads it.`],
    ['a call in inline code', `I will read it with \`${call}\``],
    ['a label within a sentence', `You write Action: ${call} to read it.`],
    ['a label before a tool that is not offered', 'Thought: x. Action: serch(query="a")'],
    ['a label before a word', 'Thought: x. Action: read'],
    ['a word that ends like the label', `The transaction - ${call}`],
  ])('an example is an answer: %s', (_, text) => {
    expect(read(text)).toMatchObject({ outcome: 'answer', action: null, problem: null });
  });
});

describe('reasoning under its other names (rule: thinking)', () => {
  test.each(['thinking', 'reasoning', 'THINK', 'Thinking'])('<%s> is no source of actions', (name) => {
    const text = `<${name}>\n${acting}</${name}>\nFinal Answer: y`;
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({ outcome: 'answer', answer: 'y', reasoning: acting.trim() });
    expect(joined).toEqual({ reasoning: acting.trim(), draft: '', thought: '', answer: 'y' });
    expect(read(`${acting}</${name}>\nFinal Answer: y`).answer).toBe('y');
    expect(read(`<${name}>\n${acting}`).action).toBeNull();
  });
});

describe('what a server leaks of its template (rule: chat-tokens)', () => {
  test.each([
    ['around JSON', `<|im_start|>${json}<|im_end|>`],
    ['with the role', `<|im_start|>assistant\n${json}<|im_end|>\n`],
    ['the opening token again', `<|im_start|>${json}<|im_start|>`],
    ['Llama', `<|start_header_id|>assistant<|end_header_id|>\n\n${json}<|eot_id|>`],
    ['Mistral', `[/INST] ${json}</s>`],
    ['Python tag', `<|python_tag|>${json}<|eom_id|>`],
    ['an imagined next turn', `${json}<|im_end|>\n<|im_start|>user\nThanks!<|im_end|>`],
    ['around a labelled call', `<|im_start|>Thought: x\nAction: <|im_start|>${call}<|im_end|>`],
    ['before a label', `<|im_start|>assistant\nThought: x<|im_end|>\nAction: ${call}`],
    ['around a tag', `<|im_start|><tool_call>${json}</tool_call><|im_end|>`],
  ])('is discarded around a call and reported: %s', (_, text) => {
    const parsed = read(text);
    expect(parsed).toMatchObject({ outcome: 'action', action: { toolArgs: { path: 'a' } } });
    expect(parsed.thought).not.toMatch(/<\||im_/);
    const counted = parsed.discarded.filter(({ kind }) => kind === 'chat_token' || kind === 'stop');
    expect(counted).not.toEqual([]);
  });

  test.each([
    ['<|im_start|>assistant\nIt is 4.<|im_end|>', 'It is 4.'],
    ['Final Answer: It is 4. [/INST]', 'It is 4.'],
    ['Final Answer: 4<|im_end|>\n<|im_start|>assistant\n', '4'],
    ['<|im_start|>Final Answer: 4</s>', '4'],
  ])('is discarded at the edges of an answer: %j', (text, answer) => {
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({ outcome: 'answer', answer });
    expect(joined.draft + joined.answer).toBe(answer);
  });

  test.each([
    'Final Answer: end with `<|im_end|>` always',
    'Final Answer: ChatML writes <|im_start|>user and <|im_end|> around a turn.',
    'Final Answer: ~~old~~ is <s>old</s>',
    'A list [INST] in words',
  ])('stays inside code and text: %j', (text) => {
    const { joined, completion } = stream(text, [3]);
    expect(completion.answer).toBe(text.replace('Final Answer: ', ''));
    expect(joined.draft + joined.answer).toBe(completion.answer);
    expect(completion.discarded).toEqual([]);
  });

  test('stays inside a quoted argument', () => {
    const content = '<|im_start|>user\n[INST]</s><|im_end|>';
    expect(read(`Action: write_file(path="a", content="${content}")`).action?.toolArgs).toEqual({
      path: 'a',
      content,
    });
  });

  test.each([
    ['after the answer', `Done.\n<|im_start|>user\n${acting}`, 'Done.'],
    [
      'and a turn of its own after it',
      `Done.<|im_end|>\n<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n${acting}`,
      'Done.',
    ],
    ['after a thought', `Thought: Done.<|im_end|><|im_start|>user\n${acting}`, 'Done.'],
    ['Llama', `Done.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n${acting}`, 'Done.'],
    ['Phi', `Done.<|end|><|user|>Go on.\n${acting}`, 'Done.'],
    ['Mistral', `Done.</s>\n[INST] Go on. [/INST]\n${acting}`, 'Done.'],
    ['Gemma', `Done.<end_of_turn>\n<start_of_turn>user\n<tool_call>${json}</tool_call>`, 'Done.'],
    ['after a list', `- Done.<|im_end|><|im_start|>user\n${acting}`, '- Done.'],
    ['with an answer', `Done.\n<|im_start|>tool\nFinal Answer: 4`, 'Done.'],
    ['directly after a label', `Done.\nAction: <|im_start|>user\n${call}`, 'Done.\nAction:'],
  ])('nothing in the turn of somebody else acts: %s', (_, text, answer) => {
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({ outcome: 'answer', action: null, answer });
    expect(joined.answer || joined.draft).toBe(answer);
    expect(completion.discarded).toContainEqual({ kind: 'chat_token', chars: expect.any(Number) });
    expect(streamsToTheSameResult(text, [1, 7])).toBe(true);
  });

  test.each([
    [`Like so:\n\`\`\`\nx\n\`\`\`<|im_end|>\n${acting}`, 'Like so:\n```\nx\n```'],
    [`Thought: I read.\n\`\`\`\n${acting}\`\`\` <|im_end|>\n`, 'I read.'],
    [`\`\`\`\nThought: I read.\n${acting}\`\`\`<|eot_id|>`, 'I read.'],
  ])('a code fence closes with a token on its last line: %j', (text, thought) => {
    expect(read(text)).toMatchObject({ action: { toolArgs: { path: 'a' } }, thought });
  });

  test('a reply that begins as somebody else holds nothing of the model', () => {
    expect(read(`<|im_start|>user\n${acting}`)).toMatchObject({
      outcome: 'empty',
      discarded: [
        { kind: 'chat_token', chars: 16 },
        { kind: 'action', chars: acting.length - 1 },
      ],
    });
  });

  test.each([
    ['the end of the turn', `Action: read\nAction Input: a.md<|im_end|>\nhello`],
    ['and an imagined one', `Action: read\nAction Input: a.md<|im_end|>\n<|im_start|>user\nhello`],
    ['on the same line', `Action: read\nAction Input: a.md<|im_end|><|im_start|>user\nhello`],
    ['an imagined one only', `Action: read\nAction Input: a.md\n<|im_start|>user\nhello`],
  ])('an input without quotes ends before %s', (_, text) => {
    expect(read(text).action?.toolArgs).toEqual({ path: 'a.md' });
  });

  test('a call by itself may quote a turn', () => {
    const content = '<|im_start|>user\nhello';
    expect(read(`write_file(path="a", content="${content}")`).action?.toolArgs).toEqual({
      path: 'a',
      content,
    });
  });

  test('a call before text that is not another turn is no bare call', () => {
    expect(read(`${json}<|im_end|> is what models write.`).action).toBeNull();
  });
});
