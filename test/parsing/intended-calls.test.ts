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
    `I explain:\n\`\`\`json\n${step}\n\`\`\`\nThat is all.`,
  ])('an answer has no advice if it only explains or quotes a call, or has none: %j', (text) => {
    expect(parseCompletion(text, tools)).toMatchObject({ outcome: 'answer', problem: null });
  });
});
