import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { LANTERN_FOLDER } from './evaluate.js';
import { lanternQuestions } from './questions.js';

test('every passage listed as the answer to an evaluation question exists in the imaginary project', () => {
  const places = lanternQuestions.flatMap((question) => question.places);
  const lost = places.filter(
    ({ path, anchor }) => !readFileSync(`${LANTERN_FOLDER}/${path}`, 'utf8').includes(anchor),
  );
  expect(lost).toEqual([]);
});
