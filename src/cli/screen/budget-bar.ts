import type { ContextReport } from '../../contract/context-report.js';
import type { Paint } from '../display/paint.js';

const cells = 20;

/** Renders the used, free and reserved tokens: `▰▰▰▱▱▱░░ 3.1k/8k (38%)`. */
export function budgetBar(report: ContextReport, paint: Paint): string {
  const { prompt_tokens: used, token_limit: limit, reserved_output_tokens: reserve } = report;
  const share = used / limit;
  const full = Math.min(cells, Math.ceil(share * cells));
  const kept = Math.min(cells - full, Math.round((reserve / limit) * cells));
  const bar = paint(colourOf(used / (limit - reserve)), '▰'.repeat(full));
  const rest = paint('dim', '▱'.repeat(cells - full - kept) + '░'.repeat(kept));
  return `${bar}${rest} ${short(used)}/${short(limit)} (${Math.round(share * 100)}%)`;
}

/** Returns the colour for a share of the tokens available to the prompt. */
function colourOf(share: number): 'green' | 'yellow' | 'red' {
  if (share > 0.85) return 'red';
  return share > 0.6 ? 'yellow' : 'green';
}

/** Abbreviates a count: `950`, `3.1k`, `128k`. */
export function short(count: number): string {
  if (count < 1_000) return String(count);
  const thousands = count / 1_000;
  return `${thousands < 100 ? Number(thousands.toFixed(1)) : Math.round(thousands)}k`;
}
