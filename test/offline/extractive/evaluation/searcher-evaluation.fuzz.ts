import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { copyRepository, evaluate, type Verdict } from './evaluate.js';
import { heldOutQuestions, tuningQuestions } from './questions.js';

/** Over all 32 questions on this repository, so that an edit of it may cost one or two of them and pass. */
const FLOOR = { files: 18, lines: 13, absent: 2 };
const FALSE_AT_MOST = 2;

describe('the model offline over whole runs on this repository (rule: offline-model)', () => {
  const questions = [...tuningQuestions, ...heldOutQuestions];
  const repository = copyRepository();
  let verdicts: readonly Verdict[] = [];
  beforeAll(async () => {
    verdicts = await evaluate(repository.folder, questions);
  }, 600_000);
  afterAll(repository.remove);

  const countOf = (is: (verdict: Verdict) => boolean): number => verdicts.filter(is).length;

  test('a right file is among the quotes of most questions', () => {
    expect(countOf(({ isRightFile }) => isRightFile)).toBeGreaterThanOrEqual(FLOOR.files);
  });

  test('right lines are among the quotes of two in five', () => {
    expect(countOf(({ areRightLines }) => areRightLines)).toBeGreaterThanOrEqual(FLOOR.lines);
  });

  test('of what is not there it says so', () => {
    const absent = countOf(({ words, areRightLines }) => words === 'absent' && areRightLines);
    expect(absent).toBeGreaterThanOrEqual(FLOOR.absent);
  });

  test('it quotes what stands there, and nothing for what is absent', () => {
    expect(countOf(({ isFalse }) => isFalse)).toBeLessThanOrEqual(FALSE_AT_MOST);
  });

  test('no run takes more steps than a terminal gives it', () => {
    expect(Math.max(...verdicts.map(({ steps }) => steps))).toBeLessThanOrEqual(9);
  });
});
