import type { ContextReport, ReportItem } from '../../contract/context-report.js';
import type { Paint } from '../display/paint.js';
import { budgetBar, short } from './budget-bar.js';
import { showExactLine } from './visible-text.js';

/** Renders what fills the prompt, and which items were left out and why. */
export function contextPage(report: ContextReport, paint: Paint): string {
  const sections = report.sections.map(
    ({ name, tokens }) => `  ${showExactLine(name).padEnd(14)}${short(tokens).padStart(7)}`,
  );
  const out = leftOutItems(report);
  return [
    `${budgetBar(report, paint)}  ${showExactLine(report.counting)}`,
    ...sections,
    `  ${'reserve'.padEnd(14)}${short(report.reserved_output_tokens).padStart(7)}`,
    ...(out.length > 0 ? ['Left out or cut:', ...out.map(itemLine)] : ['Nothing was left out.']),
  ].join('\n');
}

/** Returns the items that are not fully in the prompt. */
export const leftOutItems = ({ items }: ContextReport): readonly ReportItem[] =>
  items.filter(({ status }) => status !== 'included' && status !== 'duplicate');

/** Renders an item with its status, size and reason. */
export function itemLine({ kind, id, status, original_tokens, lines, reason }: ReportItem): string {
  const size = original_tokens === null ? '' : `, ${short(original_tokens)} tokens`;
  const shown = lines === null ? '' : `, lines ${lines}`;
  return showExactLine(`  ${status.padEnd(12)}${kind} ${id}${shown}${size}${reason ? `: ${reason}` : ''}`);
}
