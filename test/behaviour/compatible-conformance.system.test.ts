import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadCases, type ParserCase } from '../support/parsing/cases.js';
import { pooled } from '../support/pooled.js';
import { llmConfig, startWholeService, type WholeService } from '../support/whole-service.js';
import { askerOf, wireNames } from '../support/wires.js';

const cases = [...loadCases('rulings'), ...loadCases('written-calls'), ...loadCases('native-formats')];
const offering = cases.filter(({ tools }) => tools.length > 0);
const byId = new Map(cases.map((each) => [each.id, each]));

let service: WholeService;
let ask: ReturnType<typeof askerOf>;
/** Outcome of a step for each conformance case that offers tools, by case id. */
let steps: ReadonlyMap<string, OutcomeOfStep>;
beforeAll(async () => {
  service = await startWholeService(({ rawBody }) => {
    const each = byId.get(/case:([\w.-]+);/.exec(rawBody)?.[1] ?? '');
    return { text: each?.text ?? '', ...(each?.finish_reason && { finishReason: each.finish_reason }) };
  });
  ask = askerOf(service);
  steps = new Map(await pooled(offering, 4, async (each) => [each.id, await outcomeOfStep(each)] as const));
}, 300_000);
afterAll(() => service.close());

interface OutcomeOfStep {
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  /**
   * True if a step rejects the call or the tools. The compatible endpoints may then respond differently: they pass such
   * calls to the client, and rename tools whose names contain characters that a call in text cannot contain.
   */
  readonly isUnfit: boolean;
}

const schemaOf = ({ parameters, input_schema }: ParserCase['tools'][number]) =>
  input_schema ?? { type: 'object', properties: Object.fromEntries(parameters.map((each) => [each, {}])) };

async function outcomeOfStep({ id, tools }: ParserCase): Promise<OutcomeOfStep> {
  const { status, body } = await service.step({
    user_query: `case:${id};`,
    llm_config: { ...llmConfig('openai'), modelName: 'm', provider: 'local' },
    tools: tools.map((each) => ({ name: each.name, inputSchema: schemaOf(each) })),
  });
  const actions = [body.action_details ?? [], body.additional_actions].flat();
  const outcome = body.parse?.outcome ?? '';
  return {
    calls: actions.map(({ tool_name, tool_args }) => ({ name: tool_name, args: tool_args })),
    isUnfit: status !== 200 || outcome === 'unknown_tool' || outcome === 'malformed_action',
  };
}

const headers = {
  'X-Stepwise-Corrections': '0',
  'X-Stepwise-Protocol': 'text',
  'X-Stepwise-Token-Limit': '16000',
};

test.each(wireNames.flatMap((wire) => [false, true].map((streamed) => [wire, streamed] as const)))(
  'every case of the conformance set gives the same calls through %s as through react_step (streamed: %s) (rule: compatible-wires)',
  async (wire, streamed) => {
    const differing: string[] = [];
    let acting = 0;
    await pooled(offering, 4, async ({ id, tools }) => {
      const step = steps.get(id);
      const request = {
        text: `case:${id};`,
        tools: tools.map((each) => ({ name: each.name, schema: schemaOf(each) })),
        headers,
      };
      const { calls } = await ask(wire, request, streamed);
      if (calls.length > 0) acting += 1;
      if (!step?.isUnfit && JSON.stringify(step?.calls) !== JSON.stringify(calls))
        differing.push(`${id}: ${JSON.stringify(step?.calls)} ${JSON.stringify(calls)}`);
    });
    expect(differing).toEqual([]);
    expect(acting).toBeGreaterThan(500);
  },
  300_000,
);
