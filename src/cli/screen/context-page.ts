import type { ContextReport, ReportItem } from '../../contract/context-report.js';
import type { Paint } from '../display/paint.js';
import { budgetBar, short } from './budget-bar.js';
import { showExactLine } from './shown-text.js';

/** What fills the prompt, and what was left out of it and why. */
export function contextPage(report: ContextReport, paint: Paint): string {
  const sections = report.sections.map(
    ({ name, tokens }) => `  ${showExactLine(name).padEnd(14)}${short(tokens).padStart(7)}`,
  );
  const out = leftOut(report);
  return [
    `${budgetBar(report, paint)}  ${showExactLine(report.counting)}`,
    ...sections,
    `  ${'reserve'.padEnd(14)}${short(report.reserved_output_tokens).padStart(7)}`,
    ...(out.length > 0 ? ['Left out or cut:', ...out.map(itemLine)] : ['Nothing was left out.']),
  ].join('\n');
}

/** The items that are not wholly in the prompt. */
export const leftOut = ({ items }: ContextReport): readonly ReportItem[] =>
  items.filter(({ status }) => status !== 'included' && status !== 'duplicate');

/** One item: what it is, what became of it, how large it is, and why. */
export function itemLine({ kind, id, status, original_tokens, lines, reason }: ReportItem): string {
  const size = original_tokens === null ? '' : `, ${short(original_tokens)} tokens`;
  const shown = lines === null ? '' : `, lines ${lines}`;
  return showExactLine(`  ${status.padEnd(12)}${kind} ${id}${shown}${size}${reason ? `: ${reason}` : ''}`);
}
