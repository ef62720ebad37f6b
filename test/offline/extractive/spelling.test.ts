import { expect, test } from '@jest/globals';
import { searchTerms } from '../../../src/offline/extractive/question/search-terms.js';
import { correctSpelling, misspellings } from '../../../src/offline/extractive/question/spelling.js';
import { synonymsOf } from '../../../src/offline/extractive/question/synonyms.js';

test.each([
  ['two letters that changed places', 'playgruond', 'playground'],
  ['a letter too few', 'comand', 'command'],
  ['a letter too many', 'aproach', 'approach'],
  ['a wrong letter', 'approvel', 'approval'],
])('a typing error is found and corrected: %s (rule: offline-model)', (_slip, written, meant) => {
  const [term] = searchTerms(written);
  if (!term) throw new Error('no term');
  expect(misspellings(term).some((pattern) => new RegExp(pattern).test(meant))).toBe(true);
  const [corrected] = correctSpelling([term], [`the ${meant} is here`]);
  expect(corrected).toMatchObject({ text: meant, written: term.text });
});

test('a word that occurs in the project is not corrected, nor are short words and names', () => {
  const terms = searchTerms('counting cart in `getUsr`');
  expect(correctSpelling(terms, ['counter chart getUser'])).toEqual(terms);
});

test('a German word has English synonyms, and no word is its own synonym', () => {
  expect(synonymsOf('geheimnisse')).toContain('secret');
  expect(synonymsOf('secret')).not.toContain('secret');
});
