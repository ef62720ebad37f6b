import { agents, type Framework } from './agents.js';
import { cases } from './cases.js';
import type { Outcome } from './columns.js';

/** Everything that was measured, as it is kept beside the page. */
export interface Recording {
  readonly date: string;
  readonly python: string;
  readonly node: string;
  /** The packages of each framework, as they were installed. */
  readonly versions: Readonly<Partial<Record<Framework, string>>>;
  /** By case and agent. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, readonly Outcome[]>>>>;
}

export const pageFile = 'docs/beside-other-agents.md';
export const recordingFile = 'docs/trials/other-agents.json';
export const versionsHeading = 'What was compared';

/** The page with the recording's tables in place of those that it has, each under its heading. */
export function withTables(page: string, recording: Recording): string {
  const { date, python, node } = recording;
  const sections = { ...tablesOf(recording), [versionsHeading]: versionsTable(recording) };
  return Object.entries(sections)
    .reduce((text, [heading, table]) => withTable(text, heading, table), page)
    .replace(/^Measured on .*$/m, `Measured on ${date} with Python ${python} and Node.js ${node}.`);
}

function withTable(page: string, heading: string, table: string): string {
  const pattern = new RegExp(`(?<=^## ${heading}\\n(?:(?!## |\\|).*\\n)*)(?:\\|.*\\n)+`, 'm');
  if (!pattern.test(page)) throw new Error(`${pageFile} has no table under “${heading}”.`);
  return page.replace(pattern, () => table);
}

const tablesOf = ({ outcomes }: Recording): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cases).map(([name, { columns }]) => {
      const rows = agents.map((agent) => {
        const measured = outcomes[name]?.[agent.name] ?? [];
        return [agent.name, ...columns.map(({ cell }) => cell(measured))];
      });
      return [name, table(['agent', ...columns.map(({ heading }) => heading)], rows)];
    }),
  );

const versionsTable = ({ versions }: Recording): string =>
  table(
    ['agent', 'how its model acts', 'packages'],
    agents.map(({ name, framework, acts }) => [name, acts, versions[framework] ?? '']),
  );

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
