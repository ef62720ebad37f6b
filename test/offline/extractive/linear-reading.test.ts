import { expect, test } from '@jest/globals';
import { extractiveReply } from '../../../src/offline/extractive/extractive-model.js';
import type { ChatMessage } from '../../../src/offline/extractive/prompt/read-prompt.js';

const SIZE = 2 * 2 ** 20;
const grown = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length));

const system = (text: string): ChatMessage => ({ role: 'system', content: text });
const user = (text: string): ChatMessage => ({ role: 'user', content: text });
const assistant = (text: string): ChatMessage => ({ role: 'assistant', content: text });

const tools = system('search_code(pattern: string): searches\nread_file(path): reads');
const question = user('Where is the discount calculated?');
const file = (text: string): string => `<file path="a.ts">\n${text}\n</file>`;

const prompts: Readonly<Record<string, readonly ChatMessage[]>> = {
  'a bullet without end in the tools': [system(grown('*')), question],
  'descriptions that never end': [system(`<tool><name>x</name>${grown('<description>')}`), question],
  'properties in a string without end': [system(`"name": "f", "properties": {${grown('\\"')}`), question],
  'calls that never end': [tools, question, assistant(grown('<tool_code><name>a</name>')), user('go on')],
  'parameters that never end': [
    tools,
    question,
    assistant(`<tool_code><name>a</name>${grown('<parameters>')}</tool_code>`),
    user('go on'),
  ],
  'a match on every line of one file': [
    tools,
    user(`${file(grown('discount\n'))}\n\nWhere is the discount?`),
  ],
  'a task as long as the file': [
    tools,
    user(`${file(grown('discount\n'))}\n\nWhere is the discount? ${grown('word ')}`),
  ],
  'a path that is mostly spaces': [
    user(`<file path="a${grown(' ')}b.ts">\nthe discount\n</file>\n\nWhere is the discount?`),
  ],
  'twenty thousand turns': [
    tools,
    question,
    ...Array.from({ length: 20_000 }, (_, index) =>
      index % 2 ? user('nothing') : assistant(`Action: read_file(path="${index}.ts")`),
    ),
  ],
};

/** Quadratic work on any of these would take minutes and exceed Jest's time limit. */
test.each(Object.entries(prompts))(
  'the offline model reads a prompt of 2 MB in linear time (rule: linear-work): %s',
  (_, messages) => {
    expect(extractiveReply(messages)).toMatch(/^(?:Thought:|These|I found nothing)/);
  },
  30_000,
);
