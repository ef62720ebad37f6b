import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PhaseReader, readPhaseReply } from '../../../../src/service/step/reply/phases.js';

test('the JSON control block of the phase reason is read with or without a code fence, within prose or alone (rule: phase-control)', () => {
  const block = '{"plan": "look", "tools_to_consider": ["read", 3], "finish": true}';
  for (const text of [
    `First I look.\n\`\`\`json\n${block}\n\`\`\``,
    `First I look.\n${block}\n`,
    `First I look. ${block}`,
    `${block}\nFirst I look.`,
    `\`\`\`\n${block}\n\`\`\`\nFirst I look.`,
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

test('a missing or invalid control block leaves the text as prose and continues the run (rule: phase-control)', () => {
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

test('the control block of the phase observe contains the observation and whether to continue (rule: phase-control)', () => {
  const text = 'It is there.\n{"observation": "found", "should_continue": false, "final_answer": "in a {b}"}';
  expect(readPhaseReply(text, 'observe').control).toMatchObject({
    observation: 'found',
    should_continue: false,
    final_answer: 'in a {b}',
  });
});

test('the last control block of a reply counts, and all blocks are removed from the prose (rule: phase-control)', () => {
  const text =
    'I saw it {"observation": "a", "should_continue": true} and then ```code``` {"x": 1}\n' +
    '```json\n{"observation": "b", "should_continue": false, "final_answer": "in {b}"}\n```\nSo I am done.';
  expect(readPhaseReply(text, 'observe')).toMatchObject({
    prose: 'I saw it  and then ```code``` {"x": 1}\nSo I am done.',
    control: { observation: 'b', should_continue: false, final_answer: 'in {b}' },
  });
});

test('an empty final answer in a control block is read as null (rule: phase-control)', () => {
  for (const empty of ['""', '"  "', 'null'])
    expect(
      readPhaseReply(`{"should_continue": false, "final_answer": ${empty}}`, 'observe').control.final_answer,
    ).toBeNull();
});

test('a streamed phase emits its prose, also after a code block, but not its control block (rule: deltas-join)', () => {
  const fragments = [
    'First I look.\n\nThen {I} read.\n',
    '```ts\nconst a = { b: 1 };\n```\n',
    '`a` and { "b": 2 } go on {\n',
    '```json\n{"plan": "look", "finish": false}\n```\n',
    '{"plan": "a \\"quoted\\" } one"}',
    'The end {"plan": "never closed',
  ];
  const text = fragments.join('');
  const prose = `${fragments[0]}${fragments[1]}${fragments[2]}${fragments[5]}`;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 })), (sizes) => {
      const reader = new PhaseReader('reason');
      let rest = text;
      let emitted = '';
      for (const size of [...sizes, text.length]) {
        emitted += reader.push(rest.slice(0, size));
        rest = rest.slice(size);
      }
      expect(emitted + reader.end()).toBe(prose);
      expect(reader.control.plan).toBe('a "quoted" } one');
    }),
  );
});

test('reading a phase completes on a megabyte of hostile text (rule: linear-work)', () => {
  for (const unit of ['{', '{"', '`', '```', '{ ', '{"a": ', '{"plan": 1}', '```{"plan": 1}```']) {
    const text = unit.repeat(1_000_000 / unit.length);
    expect(readPhaseReply(text, 'reason').prose.length).toBeLessThanOrEqual(text.length);
  }
}, 60_000);

// If each fragment made the reader scan the block again, this test would take ten minutes.
test('a control block of a megabyte that arrives in fragments of eight characters is read (rules: linear-work, phase-control)', () => {
  const reader = new PhaseReader('observe');
  let emitted = reader.push('Saw {"observation":"');
  const words = 'a {"b"} '.replaceAll('"', "'");
  for (let index = 0; index < 2 ** 17; index += 1) emitted += reader.push(words);
  emitted += reader.push('"} again');
  expect(emitted + reader.end()).toBe('Saw  again');
  expect(reader.control.observation).toHaveLength(2 ** 20);
}, 60_000);

test('a control block with a megabyte of white space instead of its closing fence is read as prose (rules: linear-work, phase-control)', () => {
  const reader = new PhaseReader('observe');
  let emitted = reader.push('```json\n{"observation": "a"}');
  for (let index = 0; index < 2 ** 17; index += 1) emitted += reader.push('        ');
  expect(emitted).toHaveLength(2 ** 20);
  expect(reader.control.observation).toBe('a');
}, 60_000);
