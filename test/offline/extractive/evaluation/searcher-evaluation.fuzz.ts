import { beforeAll, describe, expect, test } from '@jest/globals';
import { evaluate, LANTERN_FOLDER, type Verdict } from './evaluate.js';
import { lanternQuestions } from './questions.js';

/**
 * Minimum numbers of the 30 questions for which the model must quote a right file and a right line. The
 * measured number is 23; one less is allowed, because a change may improve one question and worsen another.
 */
const MIN_RIGHT = { files: 22, lines: 22 };

describe('the offline model in whole runs over an imaginary project (rule: offline-model)', () => {
  let verdicts: readonly Verdict[] = [];
  beforeAll(async () => {
    verdicts = await evaluate(LANTERN_FOLDER, lanternQuestions);
  }, 600_000);

  const countOf = (is: (verdict: Verdict) => boolean): number => verdicts.filter(is).length;

  test('the offline model quotes a right file for at least 22 of 30 questions', () => {
    expect(countOf(({ isRightFile }) => isRightFile)).toBeGreaterThanOrEqual(MIN_RIGHT.files);
  });

  test('the offline model quotes a right line for at least 22 of 30 questions', () => {
    expect(countOf(({ areRightLines }) => areRightLines)).toBeGreaterThanOrEqual(MIN_RIGHT.lines);
  });

  test('the offline model says that it found nothing for every topic that the project does not contain', () => {
    const missed = verdicts.filter(({ words, areRightLines }) => words === 'absent' && !areRightLines);
    expect(missed.map(({ ask }) => ask)).toEqual([]);
  });

  test('the offline model quotes lines exactly, and quotes none for a topic that the project does not contain', () => {
    expect(verdicts.filter(({ isFalse }) => isFalse).map(({ ask }) => ask)).toEqual([]);
  });

  test('the offline model answers within the nine steps that a terminal run has', () => {
    expect(Math.max(...verdicts.map(({ steps }) => steps))).toBeLessThanOrEqual(9);
  });
});
