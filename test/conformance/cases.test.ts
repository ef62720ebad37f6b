import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { outcomeOf, toOffered } from '../../conformance/stepwise.js';
import { type ParsedCompletion, parseCompletion } from '../../src/parsing/parse-completion.js';
import { faults, loadCases, type ParserCase } from '../support/parsing/cases.js';
import { type Joined, stream } from '../support/parsing/properties.js';

/**
 * The cases prove the rules that they name, each of which is a heading of this page: (rules: markers, whole-reply-fence, closing-fence,
 * echoed-fence), (rules: first-outcome-wins, first-action-wins, literals-first, offered-tools, arguments, values, two-line-action),
 * (rules: json-call, step-object, answer-call, tag-call, bracket-call, listed-call, bare-call, repairs, thinking),
 * (rules: thought-and-answer, chat-tokens).
 */
const page = readFileSync('docs/reference/reading-the-model.md', 'utf8');
const rules = [...page.matchAll(/^### (.*)$/gm)].map(([, name = '']) => name);
/** Is about time, which no case can show. */
const measured = 'linear-work';

const files = { rulings: loadCases('rulings'), 'written-calls': loadCases('written-calls') };
const cases = Object.values(files).flat();

const named = (each: ParserCase, found: string[]): string[] =>
  found.length > 0 ? [`${each.id} (${each.title ?? `${each.style} ${each.wrap}`}): ${found.join('; ')}`] : [];

describe('the conformance set', () => {
  test('keeps to its schema', () => {
    const isCase = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync('conformance/case.schema.json', 'utf8')),
    );
    const lines = Object.keys(files).flatMap((file) =>
      readFileSync(`conformance/cases/${file}.jsonl`, 'utf8').trim().split('\n'),
    );
    expect(lines.filter((line) => !isCase(JSON.parse(line)))).toEqual([]);
  });

  test('has an id for each case', () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  test('has cases of every rule of reading, and of no other', () => {
    expect(new Set([...cases.map(({ rule }) => rule), measured])).toEqual(new Set(rules));
  });

  test('says in its README which rules there are', () => {
    const readme = readFileSync('conformance/README.md', 'utf8');
    const told = [...readme.matchAll(/^\| \[([a-z-]+)\]\(.*\) \| (\d+) \|$/gm)].map(([, rule, count]) => [
      rule,
      Number(count),
    ]);
    const counted = rules.map((rule) => [rule, cases.filter((each) => each.rule === rule).length]);
    expect(told).toEqual(counted.filter(([rule]) => rule !== measured));
  });
});

describe('the parser', () => {
  test.each(
    rules.filter((rule) => rule !== measured),
  )('reads every case of the rule %s as it says', (rule) => {
    const own = cases.filter((each) => each.rule === rule);
    expect(own.flatMap((each) => named(each, faults(each.expected, outcomeOf(each))))).toEqual([]);
  });

  test('takes nothing well-formed for broken (rule: repairs)', () => {
    const core = cases.filter(({ tier }) => tier === 'core');
    expect(core.filter(({ expected }) => expected.repairs?.length !== 0)).toEqual([]);
  });

  test('tells the model what to write where it seems to have meant to act (rule: closing-fence)', () => {
    const asked = cases.filter(({ expected }) => expected.outcome === 'answer' && expected.problem);
    const words = asked.map(({ text, tools }) => parseCompletion(text, toOffered(tools)).problem);
    expect(words.length).toBeGreaterThan(30);
    expect(words.filter((each) => !each?.match(/^if you meant to act, .*`[\w.-]+`/))).toEqual([]);
  });

  test('comes to the same result however a reply arrives (rule: deltas-join)', () => {
    for (const each of cases) {
      const reply = { offered: toOffered(each.tools), finishReason: each.finish_reason ?? 'stop' };
      const whole = parseCompletion(each.text, reply.offered, reply);
      for (const length of [1, 3, 7, 1000]) {
        const { joined, completion } = stream(each.text, [length], reply);
        expect(completion).toEqual(whole);
        expect([each.id, unjoined(each.text, joined, completion)]).toEqual([each.id, []]);
      }
    }
  });
});

/** The deltas that do not add up to the fields of the result. */
function unjoined(text: string, joined: Joined, read: ParsedCompletion): string[] {
  const { outcome, thought, answer, reasoning, answerLabelled } = read;
  const isUnread = ['malformed_action', 'unknown_tool', 'truncated'].includes(outcome);
  const isDraft = outcome === 'answer' && !answerLabelled;
  // What a tag that nothing opened closes was sent before it showed to be reasoning (rule: thinking).
  const wasSent = reasoning !== null && joined.reasoning !== reasoning;
  // In a draft a label is left out wherever it stands (rule: draft-role).
  const isWhole = !wasSent && !/\nThought:/.test(text);
  const before = joined.draft + joined.thought;
  const faults: Record<string, boolean> = {
    'a call is in the answer': (outcome === 'action' || isUnread) && joined.answer !== '',
    answer: answerLabelled && joined.answer !== answer,
    draft: isDraft && isWhole && joined.draft + joined.answer !== answer,
    thought: (outcome === 'action' || answerLabelled) && !wasSent && before !== (thought ?? ''),
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}
