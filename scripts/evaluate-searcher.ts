/**
 * Asks the model `offline` questions about two fixed projects, and prints how many answers are right:
 * `npm run evaluate:searcher -- [--answers]`.
 */
import { evaluate, LANTERN_FOLDER, type Verdict } from '../test/offline/extractive/evaluation/evaluate.js';
import { lanternQuestions, shopQuestions } from '../test/offline/extractive/evaluation/questions.js';

const showsAnswers = process.argv.includes('--answers');
report('an imaginary project', await evaluate(LANTERN_FOLDER, lanternQuestions));
report('examples/shop', await evaluate('examples/shop', shopQuestions));

function report(title: string, verdicts: readonly Verdict[]): void {
  console.log(`\n${title}`);
  for (const verdict of verdicts) console.log(rowOf(verdict));
  const count = (is: (verdict: Verdict) => boolean) => `${verdicts.filter(is).length} of ${verdicts.length}`;
  const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
  console.log(
    `files ${count(({ isRightFile }) => isRightFile)}, lines ${count(({ areRightLines }) => areRightLines)}, ` +
      `false ${count(({ isFalse }) => isFalse)}, steps ${median(verdicts.map(({ steps }) => steps))} (median), ` +
      `CPU ${Math.round(median(verdicts.map(({ cpuMs }) => cpuMs)))} ms (median)`,
  );
}

function rowOf({ ask, words, isRightFile, areRightLines, isFalse, steps, cpuMs, answer }: Verdict): string {
  const marks = `${isRightFile ? 'file' : '----'} ${areRightLines ? 'lines' : '-----'} ${isFalse ? 'FALSE' : '     '}`;
  const row = `${marks} ${String(steps).padStart(2)} steps ${String(Math.round(cpuMs)).padStart(5)} ms  ${words.padEnd(8)} ${ask}`;
  return showsAnswers ? `${row}\n${answer}\n` : row;
}
