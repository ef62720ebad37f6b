import type { EvalReport } from './eval-report.js';

/** Placeholder for the report in the page that the build makes (`dist/playground/report.html`). */
const PLACEHOLDER = '"{{report}}"';

/**
 * Writes a report as one page that needs no other file and no network. Inserts the data as JSON in which no text can
 * end the surrounding script element.
 */
export function writeHtml(page: string, report: EvalReport): string {
  const json = JSON.stringify(report).replace(/[<\u2028\u2029]/g, (character) => escapeUnit(character));
  const at = page.lastIndexOf(PLACEHOLDER);
  if (at < 0) throw new Error('The page of the report has no place for it.');
  return page.slice(0, at) + json + page.slice(at + PLACEHOLDER.length);
}

const escapeUnit = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
