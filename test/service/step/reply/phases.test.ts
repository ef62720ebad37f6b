import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PhaseReader, readPhaseReply } from '../../../../src/service/step/reply/phases.js';

test('reason ends with its block, fenced or not, in prose or alone (rule: phase-control)', () => {
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

test('(rule: phase-control) the last block counts, wherever it stands, and none is shown', () => {
  const text =
    'I saw it {"observation": "a", "should_continue": true} and then ```code``` {"x": 1}\n' +
    '```json\n{"observation": "b", "should_continue": false, "final_answer": "in {b}"}\n```\nSo I am done.';
  expect(readPhaseReply(text, 'observe')).toMatchObject({
    prose: 'I saw it  and then ```code``` {"x": 1}\nSo I am done.',
    control: { observation: 'b', should_continue: false, final_answer: 'in {b}' },
  });
});

test('(rule: phase-control) an empty final answer is none', () => {
  for (const empty of ['""', '"  "', 'null'])
    expect(
      readPhaseReply(`{"should_continue": false, "final_answer": ${empty}}`, 'observe').control.final_answer,
    ).toBeNull();
});

test('(rule: deltas-join) a streamed phase shows its prose, goes on after a line of code, and shows no block', () => {
  const pieces = [
    'First I look.\n\nThen {I} read.\n',
    '```ts\nconst a = { b: 1 };\n```\n',
    '`a` and { "b": 2 } go on {\n',
    '```json\n{"plan": "look", "finish": false}\n```\n',
    '{"plan": "a \\"quoted\\" } one"}',
    'The end {"plan": "never closed',
  ];
  const text = pieces.join('');
  const shown = `${pieces[0]}${pieces[1]}${pieces[2]}${pieces[5]}`;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 })), (sizes) => {
      const reader = new PhaseReader('reason');
      let rest = text;
      let told = '';
      for (const size of [...sizes, text.length]) {
        told += reader.push(rest.slice(0, size));
        rest = rest.slice(size);
      }
      expect(told + reader.end()).toBe(shown);
      expect(reader.control.plan).toBe('a "quoted" } one');
    }),
  );
});

test('(rule: linear-work) a megabyte of anything is read', () => {
  for (const unit of ['{', '{"', '`', '```', '{ ', '{"a": ', '{"plan": 1}', '```{"plan": 1}```']) {
    const text = unit.repeat(1_000_000 / unit.length);
    expect(readPhaseReply(text, 'reason').prose.length).toBeLessThanOrEqual(text.length);
  }
}, 60_000);

// Looked at anew with each piece this takes ten minutes.
test('(rules: linear-work, phase-control) a megabyte of a block in pieces of eight characters is read', () => {
  const reader = new PhaseReader('observe');
  let told = reader.push('Saw {"observation":"');
  const words = 'a {"b"} '.replaceAll('"', "'");
  for (let piece = 0; piece < 2 ** 17; piece += 1) told += reader.push(words);
  told += reader.push('"} again');
  expect(told + reader.end()).toBe('Saw  again');
  expect(reader.control.observation).toHaveLength(2 ** 20);
}, 60_000);

test('(rules: linear-work, phase-control) a megabyte of white space in place of a closing fence is prose', () => {
  const reader = new PhaseReader('observe');
  let told = reader.push('```json\n{"observation": "a"}');
  for (let piece = 0; piece < 2 ** 17; piece += 1) told += reader.push('        ');
  expect(told).toHaveLength(2 ** 20);
  expect(reader.control.observation).toBe('a');
}, 60_000);
