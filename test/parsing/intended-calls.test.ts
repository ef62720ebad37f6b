import { describe, expect, test } from '@jest/globals';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { tools } from '../support/parsing/tools.js';

const call = 'read(path="a.ts")';
const step = '{"thought": "x", "action": {"tool": "read", "args": {"path": "a.ts"}}}';

describe('replies with a probable call in a format that the parser does not accept (rule: closing-fence)', () => {
  test.each([
    `思考：我需要看文件\n行动：${call}`,
    `思考：我看 行动：${call}`,
    `Мысль: надо\nДействие: \`${call}\``,
    `**Acción:** ${call}`,
    `I look.\n\n### Action\n${call}`,
    `**Tool**\n${call}`,
    `Thought: x\nAction: Call ${call}`,
    `Action: I will use the tool \`${call}\``,
    `Action: Let me run ${call}.`,
    `_Action:_ ${call}`,
    `[Action] ${call}`,
    `Action → ${call}`,
    `Action #1: ${call}`,
    `<action>${call}</action>`,
    `I look.\n<action>\n${call}\n</action>`,
    `Thought: I look. Action: ${call}`,
    `${step}\nI wait for the result.`,
    `I look. ${step}`,
    `I look.\n${step}\nI wait.`,
    `***Action:*** ${call}`,
    `Action[1]: ${call}`,
    `The next action is ${call}`,
    `I look. I will use ${call}.`,
    `Calling ${call}...`,
    `→ ${call}`,
    `I look.\n# ${call}`,
    `I look.\n\`\`\`\n[${call}]\n\`\`\``,
    `I look.\n\`\`\`python\n[${call}, ${call}]\n\`\`\``,
    `I look.\n${call} // reads it`,
    `${call}\n\nI wait for the result.`,
    `Action: I need the file. ${call}`,
    `Action: (${call})`,
    `Action: <${call}>`,
    `Tool use: read(\n  path="a.ts"\n)`,
    'read(path="a.ts"',
    'I look.\nread(path=“a.ts”)',
    'I look.\nread(path="a" + ".ts")',
    'I look.\nread(path="a.ts"]',
    'I look.\nread: {"path": "a.ts"}',
    'I look.\nread path="a.ts"',
    `I look.\n${call}; ${call}`,
    `I look.\nread(path="a.ts",\n${'  # a comment\n'.repeat(20)}\n)`,
    `${call} and then ${call}`,
    `I look.\ntext = ${call}`,
    `I look.\ntool_code\nprint(${call})`,
    `\`\`\`python\nprint(${call})\n\`\`\``,
    `- ${call}`,
    '1. Thought: I look.\n2. Action: read(\n   path="a.ts"\n   )',
    '1. Action: read\n   Action Input: {"path": "a.ts"}',
    '- Action: read\n- Action Input: {"path": "a.ts"}',
    'I look.\nTool: read\nInput: {"path": "a.ts"}',
    'Thought: I look.\n**Tool:** `read`\n**Tool Input:** {"path": "a.ts"}',
    'Function: read\nArguments:\n```json\n{"path": "a.ts"}\n```',
    'Tool: read\nPath: a.ts',
    'Tool: read\nInput: a.ts\nObservation: made up',
    '工具：read\npath: a.ts',
    'I look.\n```json tool\n{"name": "read", "arguments": {"path": "a.ts"}}\n```',
    'I look.\n{"tool": "read", "path": "a.ts"}',
    '{"action": "read(path=\'a.ts\')"}',
    '{"read": {"path": "a.ts"}, "search": {"query": "x"}}',
  ])('a probable call in an unaccepted format makes the reply an answer, with advice for the model: %j', (text) => {
    const { outcome, action, problem } = parseCompletion(text, tools);
    expect({ outcome, action }).toEqual({ outcome: 'answer', action: null });
    expect(problem).toMatch(/^if you meant to act, .*`read`/);
  });

  test.each([
    `For example: ${call}`,
    `Usage: ${call}`,
    `<pre>${call}</pre>`,
    `<action>${call}</action> is the form.`,
    `- 行动：${call}`,
    `> 行动：${call}`,
    `\`\`\`\n行动：${call}\n\`\`\`\nThis is how it works.`,
    `行动：${call} 是一个例子。`,
    '行动：我看文件',
    '行动：other(path="a.ts")',
    'Action: Call your mother',
    `You write \`${step}\` for this.`,
    `You read it by calling ${call}`,
    `The prompt says "Action: ${call}"`,
    'I look.\nread (see below)',
    'I look.\nread(path: string)',
    'Tool: read\nInput: the path of a file\n\nIt reads the file.',
    'The log:\nTool: read\nInput: a.ts\nOutput: the text',
    'The file is:\n\nname: read\npath: a.ts',
    'Caller: read\nPath: a.ts',
    'The tools are:\n> Tool: read\n> Input: {"path": "a.ts"}',
    `- first\n- ${call}`,
    `I explain:\n\`\`\`json\n${step}\n\`\`\`\nThat is all.`,
  ])('an answer has no advice if it only explains or quotes a call, or has none: %j', (text) => {
    expect(parseCompletion(text, tools)).toMatchObject({ outcome: 'answer', problem: null });
  });
});
