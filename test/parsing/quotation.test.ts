import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderCall, renderXmlCall } from '../../src/conversation/call-text.js';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { fence, fenceTags } from '../../src/service/context/fence.js';
import { anyText, chunkLengths } from '../support/parsing/arbitraries.js';
import { stream, streamsToTheSameResult } from '../support/parsing/properties.js';
import { read, tools } from '../support/parsing/tools.js';

const call = 'read(path="a")';
const json = '{"name": "read", "arguments": {"path": "a"}}';
const acting = `Action: ${call}\n`;

test.each([
  '« CALL »',
  '«\u00a0CALL\u00a0»',
  '»CALL«',
  '『CALL』',
  '”CALL”',
])('a block between the quote marks of a language does not run in a sentence (rule: native-formats): %s', (quoted) => {
  const written = quoted.replace('CALL', `<tool_call>${json}</tool_call>`);
  expect(stream(`Le modèle écrit ${written} pour lire.`, [3]).completion).toMatchObject({ action: null });
  expect(read(written).action?.toolArgs).toEqual({ path: 'a' });
});

describe('a diff is a quotation (rules: markers, native-formats)', () => {
  const block = `<tool_call>${json}</tool_call>`;

  test.each([
    ['a label on a line that is kept', `@@ -1 +1,2 @@\n ${acting}+b\n`],
    ['a label in a fence around the reply', `\`\`\`diff\n@@ -1 +1,2 @@\n ${acting}+b\n\`\`\``],
    [
      'blocks on changed lines',
      `I change it:\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f()\n-${block}\n+${block}\n`,
    ],
  ])('no call in it runs: %s', (_, text) => {
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({ action: null, outcome: 'answer', answer: text.trim() });
    expect(joined.draft + joined.answer).toBe(text.trim());
  });

  test.each(['Action: read(path="a")', block])('a call after a diff runs: %s', (written) => {
    expect(read(`I change it:\n@@ -1 +1 @@\n-a\n+b\n\n${written}`).action?.toolArgs).toEqual({ path: 'a' });
  });
});

describe('prompt data that the model repeats is treated as a quotation (rule: echoed-fence)', () => {
  test.each([
    ['no closer', `<file path="a.md">\n${acting}`],
    ['no attribute, no closer', `<observation>\n${acting}`],
    ['the closer of another tag', `<file path="a.md">\n</focus>\n${acting}`],
    ['a closer that is only mentioned', `<file path="a.md">\n\`</file>\`\n${acting}`],
    ['a tag below it', `I look.\n<tasks>\n<tool_call>${json}</tool_call>\n`],
  ])('an action inside a repeated but unclosed fence of the prompt does not run, and the model gets advice: %s', (_, text) => {
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
    .map(([tag, text]) => fence({ tag, attributes: { path: 'a' }, text }));
  /**
   * Damages the id and the attributes of a repeated fence as models do, in the opening tag and in the closing
   * tag.
   */
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

  test('no action runs if the model repeats files or observations of the prompt that contain calls, in 3,000 random replies', () => {
    fc.assert(
      fc.property(before, fc.array(echo, { minLength: 1, maxLength: 3 }), fc.nat(), (lead, echoes, cutAt) => {
        const whole = lead + echoes.join('');
        // Cuts the text anywhere after its first opening tag, as an output limit may do.
        const opener = whole.indexOf('>') + 1;
        const text = cutAt % 3 === 0 ? whole.slice(0, Math.max(opener, cutAt % whole.length)) : whole;
        expect(parseCompletion(text, tools).action).toBeNull();
        expect(parseCompletion(text, []).action).toBeNull();
      }),
      { numRuns: 3000 },
    );
  });

  test('no action runs from repeated fences with damaged or missing ids, attributes or closing tags, in 3,000 random replies', () => {
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

  test('a reply that repeats a fence of the prompt gives the same result whole and streamed (rule: deltas-join)', () => {
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

describe('other names of the thinking tag (rule: thinking)', () => {
  test.each([
    'thinking',
    'reasoning',
    'THINK',
    'Thinking',
  ])('text in a <%s> tag is reasoning, and no call in it runs', (name) => {
    const text = `<${name}>\n${acting}</${name}>\nFinal Answer: y`;
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({ outcome: 'answer', answer: 'y', reasoning: acting.trim() });
    expect(joined).toEqual({ reasoning: acting.trim(), draft: '', thought: '', answer: 'y' });
    expect(read(`${acting}</${name}>\nFinal Answer: y`).answer).toBe('y');
    expect(read(`<${name}>\n${acting}`).action).toBeNull();
  });
});
