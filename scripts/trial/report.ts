import { isHeldBack } from './questions.js';
import { type CorrectedStep, protocols, type TriedRun, type TriedStep } from './tried-step.js';

/** Everything that was tried, as it is kept in docs/trials. */
export interface Recording {
  readonly date: string;
  readonly steps: readonly TriedStep[];
  readonly corrected: readonly CorrectedStep[];
  readonly runs: readonly TriedRun[];
}

/** The page with the recording's tables in place of those that it has, each under its heading. */
export function withTables(page: string, recording: Recording): string {
  const tables = {
    'First steps': firstSteps(recording.steps),
    'After a correction': secondSteps(recording.corrected),
    'Whole runs': wholeRuns(recording.runs),
  };
  return Object.entries(tables)
    .reduce((text, [heading, rows]) => withTable(text, heading, rows), page)
    .replace(
      /^Made by `npm run trial:model` on [\d-]+/m,
      `Made by \`npm run trial:model\` on ${recording.date}`,
    );
}

function withTable(page: string, heading: string, rows: string): string {
  const pattern = new RegExp(`(?<=^## ${heading}\\n(?:(?!## |\\|).*\\n)*)(?:\\|.*\\n)+`, 'm');
  if (!pattern.test(page)) throw new Error(`The page has no table under “${heading}”.`);
  return rows === '' ? page : page.replace(pattern, () => rows);
}

const results = ['acted', 'answered', 'unlabelled', 'unreadable', 'cut', 'failed'] as const;

function firstSteps(steps: readonly TriedStep[]): string {
  const cells = [true, false].flatMap((example) => protocols.map((protocol) => ({ protocol, example })));
  const rows = cells.flatMap(({ protocol, example }) => {
    const cell = steps.filter((step) => step.protocol === protocol && step.example === example);
    const counts = [...results, 'copied'] as const;
    return cell.length === 0
      ? []
      : [
          [
            protocol,
            example ? 'yes' : 'no',
            cell.length,
            ...halves(cell),
            ...counts.slice(1).map(countIn(cell)),
          ],
        ];
  });
  const headings = ['protocol', 'example', 'steps', 'acted', 'questions in view', 'held back'];
  return table([...headings, ...results.slice(1), 'copied'], rows);
}

function secondSteps(steps: readonly CorrectedStep[]): string {
  const rows = protocols.flatMap((protocol) => {
    const cell = steps.filter((step) => step.protocol === protocol);
    return cell.length === 0
      ? []
      : [[protocol, cell.length, ...results.map(countIn(cell)), countIn(cell)('copied')]];
  });
  return table(['protocol', 'steps', ...results, 'copied'], rows);
}

/** How many acted: of all, of the questions in view, of those held back. */
function halves(cell: readonly TriedStep[]): string[] {
  const acted = (part: readonly TriedStep[]) => part.filter(({ result }) => result === 'acted').length;
  const inView = cell.filter(({ question }) => !isHeldBack(question));
  const heldBack = cell.filter(({ question }) => isHeldBack(question));
  return [
    String(acted(cell)),
    `${acted(inView)} of ${inView.length}`,
    `${acted(heldBack)} of ${heldBack.length}`,
  ];
}

const countIn =
  (cell: readonly TriedStep[]) =>
  (kind: TriedStep['result'] | 'copied'): number =>
    cell.filter(({ result, isCopied }) => (kind === 'copied' ? isCopied : result === kind)).length;

function wholeRuns(runs: readonly TriedRun[]): string {
  const rows = protocols.flatMap((protocol) => {
    const cell = runs.filter((run) => run.protocol === protocol);
    const sum = (pick: (run: TriedRun) => number) => cell.reduce((total, run) => total + pick(run), 0);
    const ended = (...exits: number[]) => cell.filter(({ exit }) => exits.includes(exit ?? -1)).length;
    const counts = [
      cell.filter(({ actions }) => actions > 0).length,
      sum(({ steps }) => steps),
      sum(({ actions }) => actions),
      sum(({ failedActions }) => failedActions),
      sum(({ unreadable }) => unreadable),
      ended(0),
      ended(2),
      cell.length - ended(0, 2),
    ];
    return cell.length === 0 ? [] : [[protocol, cell.length, ...counts]];
  });
  const headings = ['runs', 'that acted', 'steps', 'actions', 'failed in the tool', 'unreadable'];
  return table(['protocol', ...headings, 'answered', 'step limit', 'otherwise'], rows);
}

/** Empty without rows. */
function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return '';
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
