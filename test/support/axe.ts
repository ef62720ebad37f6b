import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core calls serious or critical, each with the first element it is about. */
export async function axeFindings(page: Page | Frame): Promise<string[]> {
  // The page's policy lets no text become a script; the debugger's own evaluation is not held to it.
  await page.evaluate(axe);
  // It would fetch the style sheets anew, which a strict policy forbids.
  const found = await page.evaluate('axe.run({ resultTypes: ["violations"], preload: false })');
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
