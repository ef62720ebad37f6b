import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadCases, type ParserCase } from '../support/parsing/cases.js';
import { pooled } from '../support/pooled.js';
import { llmConfig, startWholeService, type WholeService } from '../support/whole-service.js';

const cases = [...loadCases('rulings'), ...loadCases('written-calls'), ...loadCases('native-formats')];
const byId = new Map(cases.map((each) => [each.id, each]));

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(({ rawBody }) => {
    const each = byId.get(/case:([\w.-]+);/.exec(rawBody)?.[1] ?? '');
    return { text: each?.text ?? '', ...(each?.finish_reason && { finishReason: each.finish_reason }) };
  });
});
afterAll(() => service.close());

interface Call {
  readonly name: string;
  readonly args: unknown;
}

const schemaOf = ({ parameters, input_schema }: ParserCase['tools'][number]) =>
  input_schema ?? { type: 'object', properties: Object.fromEntries(parameters.map((each) => [each, {}])) };

/** Returns the calls that a step proposes, and whether Chat Completions may differ: a call is handed over although it does not fit. */
async function callsOfStep({ id, tools }: ParserCase): Promise<{ calls: Call[]; isUnfit: boolean }> {
  const { status, body } = await service.step({
    user_query: `case:${id};`,
    llm_config: { ...llmConfig('openai'), modelName: 'm', provider: 'local' },
    tools: tools.map((each) => ({ name: each.name, inputSchema: schemaOf(each) })),
  });
  const actions = [body.action_details ?? [], body.additional_actions].flat();
  const outcome = body.parse?.outcome ?? '';
  return {
    calls: actions.map(({ tool_name, tool_args }) => ({ name: tool_name, args: tool_args })),
    // A step refuses tools whose names no written call can hold; Chat Completions renames them.
    isUnfit: status !== 200 || outcome === 'unknown_tool' || outcome === 'malformed_action',
  };
}

interface ChatBody {
  readonly choices: readonly {
    readonly message: {
      readonly tool_calls?: readonly {
        readonly function: { readonly name: string; readonly arguments: string };
      }[];
    };
  }[];
}

async function callsOfChat({ id, tools }: ParserCase): Promise<Call[]> {
  const response = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Stepwise-Corrections': '0',
      'X-Stepwise-Protocol': 'text',
      'X-Stepwise-Token-Limit': '16000',
    },
    body: JSON.stringify({
      model: 'local/m',
      messages: [{ role: 'user', content: `case:${id};` }],
      tools: tools.map((each) => ({
        type: 'function',
        function: { name: each.name, parameters: schemaOf(each) },
      })),
    }),
  });
  const body = (await response.json()) as ChatBody;
  const calls = body.choices[0]?.message.tool_calls ?? [];
  return calls.map(({ function: { name, arguments: args } }) => ({ name, args: JSON.parse(args) }));
}

const text = (calls: readonly Call[]): string => JSON.stringify(calls);

test('every case of the conformance set gives the same calls through Chat Completions as through a step (rule: compatible-wires)', async () => {
  const offering = cases.filter(({ tools }) => tools.length > 0);
  const differing: string[] = [];
  let acting = 0;
  await pooled(offering, 4, async (each) => {
    const [{ calls, isUnfit }, chat] = await Promise.all([callsOfStep(each), callsOfChat(each)]);
    if (calls.length > 0) acting += 1;
    if (!isUnfit && text(calls) !== text(chat)) differing.push(`${each.id}: ${text(calls)} ${text(chat)}`);
  });
  expect(differing).toEqual([]);
  expect(acting).toBeGreaterThan(500);
}, 300_000);
