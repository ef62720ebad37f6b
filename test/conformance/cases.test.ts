import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { type ParsedCompletion, parseCompletion } from '../../src/parsing/parse-completion.js';
import { faults, loadCases, type ParserCase } from '../support/parsing/cases.js';
import { type Joined, stream } from '../support/parsing/properties.js';
import { outcomeOf, toOffered } from './stepwise.js';

/**
 * Each case proves the rule that it names, which is a heading of the page below: (rules: markers, whole-reply-fence, closing-fence,
 * echoed-fence, shown-element), (rules: first-outcome-wins, first-action-wins, literals-first, offered-tools, arguments, values, two-line-action),
 * (rules: json-call, step-object, answer-call, tag-call, bracket-call, listed-call, bare-call, repairs, thinking),
 * (rules: native-formats, raw-values, typed-text, several-calls),
 * (rules: thought-and-answer, chat-tokens).
 */
const page = readFileSync('docs/reference/reading-the-model.md', 'utf8');
const rules = [...page.matchAll(/^### (.*)$/gm)].map(([, name = '']) => name);
/** The rule that requires linear reading time; no conformance case can show it. */
const ruleWithoutCases = 'linear-work';

const files = {
  rulings: loadCases('rulings'),
  'written-calls': loadCases('written-calls'),
  'native-formats': loadCases('native-formats'),
};
const cases = Object.values(files).flat();

const named = (each: ParserCase, found: string[]): string[] =>
  found.length > 0 ? [`${each.id} (${each.title ?? `${each.style} ${each.wrap}`}): ${found.join('; ')}`] : [];

describe('the conformance set', () => {
  test('every case of the conformance set follows the JSON Schema', () => {
    const isCase = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync('test/conformance/case.schema.json', 'utf8')),
    );
    const lines = Object.keys(files).flatMap((file) =>
      readFileSync(`test/conformance/cases/${file}.jsonl`, 'utf8').trim().split('\n'),
    );
    expect(lines.filter((line) => !isCase(JSON.parse(line)))).toEqual([]);
  });

  test('every case of the conformance set has its own id', () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  test('the conformance set has cases for every rule of reading-the-model.md except linear-work, and for no other rule', () => {
    expect(new Set([...cases.map(({ rule }) => rule), ruleWithoutCases])).toEqual(new Set(rules));
  });

  test('the README of the conformance set lists every rule with its number of cases', () => {
    const readme = readFileSync('test/conformance/README.md', 'utf8');
    const documented = [...readme.matchAll(/^\| \[([a-z-]+)\]\(.*\) \| (\d+) \|$/gm)].map(
      ([, rule, count]) => [rule, Number(count)],
    );
    const counted = rules.map((rule) => [rule, cases.filter((each) => each.rule === rule).length]);
    expect(documented).toEqual(counted.filter(([rule]) => rule !== ruleWithoutCases));
  });
});

describe('the parser', () => {
  test.each(
    rules.filter((rule) => rule !== ruleWithoutCases),
  )('the parser reads every case of the rule %s as the case expects', (rule) => {
    const own = cases.filter((each) => each.rule === rule);
    expect(own.flatMap((each) => named(each, faults(each.expected, outcomeOf(each))))).toEqual([]);
  });

  test('the parser repairs nothing in the core cases (rule: repairs)', () => {
    const core = cases.filter(({ tier }) => tier === 'core');
    expect(core.filter(({ expected }) => expected.repairs?.length !== 0)).toEqual([]);
  });

  test('the parser suggests a call if an answer seems to be an intended action (rule: closing-fence)', () => {
    const asked = cases.filter(({ expected }) => expected.outcome === 'answer' && expected.problem);
    const words = asked.map(({ text, tools }) => parseCompletion(text, toOffered(tools)).problem);
    expect(words.length).toBeGreaterThan(30);
    expect(words.filter((each) => !each?.match(/^if you meant to act, .*`[\w.-]+`/))).toEqual([]);
  });

  test('the parser returns the same result for whole and for streamed replies (rule: deltas-join)', () => {
    for (const each of cases) {
      const reply = { offered: toOffered(each.tools), finishReason: each.finish_reason ?? 'stop' };
      const whole = parseCompletion(each.text, reply.offered, reply);
      for (const length of [1, 3, 7, 1000]) {
        const { joined, completion } = stream(each.text, [length], reply);
        expect(completion).toEqual(whole);
        expect([each.id, unjoined(joined, completion)]).toEqual([each.id, []]);
      }
    }
  });
});

/** Returns the names of the fields whose joined deltas differ from the parsed reply. */
function unjoined(joined: Joined, read: ParsedCompletion): string[] {
  const { outcome, thought, answer, reasoning, answerLabelled } = read;
  const isUnread = ['malformed_action', 'unknown_tool', 'truncated'].includes(outcome);
  const isDraft = outcome === 'answer' && !answerLabelled;
  // The parser emits text before a closing tag without an opening one as draft, before the tag shows it to be reasoning
  // (rule: thinking).
  const wasSent = reasoning !== null && joined.reasoning !== reasoning;
  const before = joined.draft + joined.thought;
  const faults: Record<string, boolean> = {
    'a call is in the answer': (outcome === 'action' || isUnread) && joined.answer !== '',
    answer: answerLabelled && joined.answer !== answer,
    draft: isDraft && !wasSent && before + joined.answer !== answer,
    thought: (outcome === 'action' || answerLabelled) && !wasSent && before !== (thought ?? ''),
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}
