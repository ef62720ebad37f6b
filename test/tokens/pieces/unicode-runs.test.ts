import { expect, test } from '@jest/globals';
import { UNICODE_RUNS } from '../../../src/tokens/pieces/unicode-runs.js';
import { charactersMatching } from '../../support/tokens/reference-tokenizer.js';

const classes = {
  U: '[\\p{Lu}\\p{Lt}]',
  L: '\\p{Ll}',
  C: '[\\p{Lm}\\p{Lo}]',
  M: '\\p{M}',
  N: '\\p{N}',
  W: '\\s',
};

test('every code point has the character class that the reference’s regex engine gives it', () => {
  const letters = new Array<string>(0x110000).fill('O');
  for (const [letter, pattern] of Object.entries(classes)) {
    for (const character of charactersMatching(pattern)) letters[character.codePointAt(0) ?? 0] = letter;
  }
  expect(UNICODE_RUNS).toBe(runLengths(letters));
});

function runLengths(letters: readonly string[]): string {
  const runs: { letter: string; length: number }[] = [];
  for (const letter of letters) {
    const last = runs.at(-1);
    if (last?.letter === letter) last.length++;
    else runs.push({ letter, length: 1 });
  }
  return runs.map(({ letter, length }) => (length > 1 ? length.toString(36) : '') + letter).join('');
}
