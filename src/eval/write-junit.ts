import { describeReading, promptDifference } from './describe-step.js';
import type { CellReport, Divergence, EvalReport, StepVerdict } from './eval-report.js';

/** Maximum number of characters of a prompt difference in a test case. */
const MAX_DIFFERENCE_CHARS = 20_000;

/**
 * Writes a report as JUnit XML: one suite per cell, and in it one case per step, with the run as class name (rule:
 * eval-reports).
 */
export function writeJunit(report: EvalReport): string {
  const suites = report.cells.map((cell, index) => writeSuite(report, cell, index));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function writeSuite(report: EvalReport, { name, counts, steps }: CellReport, id: number): string {
  const shown = new Map(
    report.divergences
      .filter(({ cell }) => cell === name)
      .map((each) => [`${each.run}\n${each.step}`, each] as const),
  );
  const attributes = {
    name,
    package: 'stepwise.eval',
    id,
    timestamp: report.beganAt.slice(0, 19),
    hostname: 'localhost',
    tests: steps.length,
    failures: counts.different,
    errors: counts.missing,
    skipped: counts.skipped,
    time: seconds(steps.reduce((total, { durationMs }) => total + durationMs, 0)),
  };
  const cases = steps.map((step) => writeCase(step, shown.get(`${step.run}\n${step.step}`)));
  const output = report.skipped.map(({ file, reason }) => `${file}: ${reason}`).join('\n');
  return [
    ` <testsuite${write(attributes)}>\n  <properties/>\n`,
    ...cases,
    `  <system-out>${escapeXml(output)}</system-out>\n  <system-err/>\n </testsuite>\n`,
  ].join('');
}

function writeCase(step: StepVerdict, divergence: Divergence | undefined): string {
  const { run, step: number, verdict, durationMs, differs = [], reason = '' } = step;
  const attributes = write({ name: `step ${number}`, classname: run, time: seconds(durationMs) });
  const body = {
    same: '',
    accepted: '',
    skipped: `<skipped${write({ message: reason })}/>`,
    missing: `<error${write({ message: reason, type: 'missing' })}/>`,
    different: `<failure${write({ message: `differs in ${differs.join(', ')}`, type: 'different' })}>${escapeXml(describe(divergence))}</failure>`,
  }[verdict];
  return `  <testcase${attributes}${body ? `>${body}</testcase>` : '/>'}\n`;
}

/**
 * Describes a divergence; returns an empty text if a step has none. Only the first differing step of a run has a
 * divergence.
 */
function describe(divergence: Divergence | undefined): string {
  if (!divergence) return '';
  const { recorded, now } = divergence;
  const difference = promptDifference(recorded.prompt, now.prompt)?.slice(0, MAX_DIFFERENCE_CHARS);
  return [
    `recorded: ${describeReading(recorded.reading)}`,
    `now: ${describeReading(now.reading)}`,
    ...(difference ? [`prompt:\n${difference}`] : []),
  ].join('\n');
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);

/**
 * Writes attributes. Replaces white space by single spaces, because some readers of JUnit XML expect values without
 * line breaks or repeated spaces.
 */
const write = (attributes: Readonly<Record<string, string | number>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replace(/\s+/g, ' ').trim()}"`)
    .join('');

/** Escapes a text, and replaces characters that XML 1.0 does not allow. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
