import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the serious and critical findings of axe-core, each with the first affected element; by default of all rules. */
export async function axeFindings(page: Page | Frame, rules?: readonly string[]): Promise<string[]> {
  // The page's policy blocks scripts that are created from text; evaluation through the debugger bypasses it.
  await page.evaluate(axe);
  // With preloading, axe would fetch style sheets again, which a strict policy forbids.
  const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) };
  const found = await page.evaluate(`axe.run(${JSON.stringify(options)})`);
  const { violations } = found as { violations: readonly Violation[] }; // as axe-core documents it
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}
