import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns axe-core's serious and critical findings, each with the first affected element. */
export async function axeFindings(page: Page | Frame): Promise<string[]> {
  // The page's policy blocks scripts made from text; the debugger's evaluation bypasses it.
  await page.evaluate(axe);
  // Preloading would fetch style sheets again, which a strict policy forbids.
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
