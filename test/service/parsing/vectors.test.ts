import { describe, expect, test } from '@jest/globals';
import { IncrementalParser } from '../../../src/service/parsing/incremental-parser.js';
import { parseCompletion } from '../../../src/service/parsing/parse-completion.js';
import { faults, loadVectors, type Tier } from '../../support/parsing/vectors.js';

const { tools, cases } = loadVectors();
const read = cases.map((each) => ({ each, parsed: parseCompletion(each.text, tools) }));

describe('the given cases', () => {
  test.each<Tier>(['core', 'neg', 'ruling', 'repair'])('every case of tier %s is read exactly', (tier) => {
    const ofTier = read.filter(({ each }) => each.tier === tier);
    const wrong = ofTier.flatMap(({ each, parsed }) => {
      const found = faults(each, parsed);
      return found.length > 0 ? [`${each.id} ${each.style} ${each.wrap}: ${found.join('; ')}`] : [];
    });
    expect(ofTier.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  test('nothing well-formed is reported as repaired', () => {
    const core = read.filter(({ each }) => each.tier === 'core');
    expect(core.filter(({ parsed }) => parsed.confidence !== 'exact')).toEqual([]);
  });

  test('what had to be mended says how', () => {
    const repaired = read.filter(({ each }) =>
      ['inner_quotes', 'missing_close', 'smart_quotes'].includes(each.style),
    );
    expect(
      repaired.filter(({ each, parsed }) => !parsed.repairs.some((repair) => repair === each.style)),
    ).toEqual([]);
  });

  test('a stream comes to the same result as the whole text', () => {
    for (const { each, parsed } of read) {
      const parser = new IncrementalParser(tools);
      for (let at = 0; at < each.text.length; at += 5) parser.push(each.text.slice(at, at + 5));
      expect(parser.end().completion).toEqual(parsed);
    }
  });
});
