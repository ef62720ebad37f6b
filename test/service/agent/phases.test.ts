import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { proseOnly, readPhaseReply } from '../../../src/service/agent/phases.js';

test('reason ends with its block, fenced or not, in prose or alone (rule: phase-control)', () => {
  const block = '{"plan": "look", "tools_to_consider": ["read", 3], "finish": true}';
  for (const text of [
    `First I look.\n\`\`\`json\n${block}\n\`\`\``,
    `First I look.\n${block}\n`,
    `First I look.\n\n${block} done`,
  ]) {
    const { prose, control } = readPhaseReply(text, 'reason');
    expect(prose).toBe('First I look.');
    expect(control).toMatchObject({
      plan: 'look',
      tools_to_consider: ['read'],
      finish: true,
      observation: null,
    });
  }
});

test('a missing or broken block means free text and "go on" (rule: phase-control)', () => {
  for (const text of ['just words', 'words\n{"plan": "look', 'words {"other": 1}', '{'.repeat(5_000)]) {
    expect(readPhaseReply(text, 'reason')).toMatchObject({
      prose: text,
      control: { plan: null, finish: false },
    });
    expect(readPhaseReply(text, 'observe')).toMatchObject({
      prose: text,
      control: { should_continue: true, final_answer: null },
    });
  }
});

test('observe tells what was learned and whether to go on (rule: phase-control)', () => {
  const text = 'It is there.\n{"observation": "found", "should_continue": false, "final_answer": "in a {b}"}';
  expect(readPhaseReply(text, 'observe').control).toMatchObject({
    observation: 'found',
    should_continue: false,
    final_answer: 'in a {b}',
  });
});

test('a streamed phase shows its prose and never its block, however it is cut into pieces (rule: phase-control)', () => {
  const text = 'First I look.\n\nThen {I} read.\n```json\n{"plan": "look"}\n```';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 })), (sizes) => {
      const show = proseOnly();
      let rest = text;
      let shown = '';
      for (const size of [...sizes, text.length]) {
        shown += show(rest.slice(0, size));
        rest = rest.slice(size);
      }
      expect(shown).toBe('First I look.\n\nThen {I} read.\n');
    }),
  );
});
