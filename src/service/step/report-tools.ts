import type { ReportItem } from '../../contract/context-report.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { observationsOf } from '../../conversation/units.js';
import { countDefinitions } from './budget/fixed-costs.js';
import type { FittedPrompt } from './fit-to-budget.js';
import { FIND_TOOLS } from './prompt/deferred-tools.js';
import type { Situation } from './types.js';

/**
 * Reports all deferred tools in one row. Adds a row for each tool that a search found (rule: deferred-report), and
 * for each tool of which the prompt contains only the signature (rule: compatible-tools).
 */
export async function toolItems(fitted: FittedPrompt): Promise<ReportItem[]> {
  const { situation, deferredList } = fitted;
  const { deferred, found } = situation;
  if (deferred.length === 0) return signatureRows(situation);
  const tokensByName = await tokensOfFound(fitted);
  const counted = deferred.length - deferredList.named;
  const rest = counted > 0 ? ` and only states the number of the other ${counted}` : '';
  const reason = `${plural(deferred.length)} deferred; searches found ${found.length}; the prompt lists ${deferredList.named} by name${rest}`;
  return [
    { ...row(FIND_TOOLS, deferredList.tokens), status: 'deferred', original_tokens: null, reason },
    ...found.map(({ name }) => foundRow(name, tokensByName.get(name))),
  ];
}

const signatureRows = ({ shortened = new Map() }: Situation): ReportItem[] =>
  [...shortened].map(([name, { tokens, original }]) => ({
    ...row(name, tokens),
    status: 'truncated',
    original_tokens: original,
    reason: 'only its signature: all tools would take more than half of the budget',
  }));

const plural = (count: number): string => (count === 1 ? '1 tool is' : `${count} tools are`);

const row = (id: string, tokens: number) =>
  ({ kind: 'tool', id, tokens, original_tokens: tokens, lines: null }) as const;

function foundRow(name: string, tokens: number | undefined): ReportItem {
  if (tokens !== undefined)
    return { ...row(name, tokens), status: 'included', reason: `found with ${FIND_TOOLS}` };
  const reason = `its definition is no longer in the prompt; ${FIND_TOOLS} shows it again`;
  return { ...row(name, 0), status: 'dropped', original_tokens: null, reason };
}

/** Returns the tokens of those definitions of found tools that the prompt contains. */
async function tokensOfFound({
  situation,
  units,
  scale,
}: FittedPrompt): Promise<ReadonlyMap<string, number>> {
  const { protocol, found } = situation;
  if (protocol === 'native') {
    const counted = found.map(
      async (tool: ToolDefinition) => [tool.name, await countDefinitions([tool], scale.tokens)] as const,
    );
    return new Map(await Promise.all(counted));
  }
  const tokensByName = new Map<string, number>();
  for (const { weighed, form } of units) {
    if (form !== 'full') continue;
    for (const { found: here } of observationsOf(weighed.unit))
      for (const [at, text] of here?.definitions.slice(0, here.shown).entries() ?? [])
        tokensByName.set(here?.names[at] ?? '', await scale.tokens.count(text));
  }
  return tokensByName;
}
