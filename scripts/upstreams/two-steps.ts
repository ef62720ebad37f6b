import { isDeepStrictEqual } from 'node:util';
import type { FakeProvider } from '../../src/offline/fake-provider.js';
import type { RecordedRequest, ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { defineTool } from '../../src/sdk/actions/define-tool.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { RunResult } from '../../src/sdk/run/run-result.js';
import { gatewayKey, type Route } from './gateways.js';

/** A run of two steps: a call, its observation, and then the answer. */
export interface TwoSteps {
  readonly route: Route;
  readonly protocol: 'text' | 'xml' | 'json' | 'native';
  readonly streamed: boolean;
}

/** The outcome of a run. Without a `problem`, everything happened as scripted. */
export interface Outcome {
  readonly problem?: string;
  /**
   * Fields of reasoning state that the provider got back. `lost` lists the fields that it did not get back, each
   * with the part of the route in which it was lost.
   */
  readonly kept: readonly string[];
  readonly lost: readonly string[];
}

const OBSERVATION = 'The total is 4211.';
const ANSWER = 'It is 4211.';

const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  annotations: { readOnlyHint: true },
  execute: () => OBSERVATION,
});

const state = {
  reasoning: 'I think in two words.\n  So — é 漢字.',
  reasoningDetails: [{ type: 'reasoning.encrypted', index: 0, data: 'ZGF0YQ==', id: 'rs_1', format: null }],
  thoughtSignature: 'c2lnbmVk+/==',
} as const;

const call = { id: 'call_1', name: 'read_file', arguments: { path: 'a.ts' } };

/** The model's first reply for each protocol: a call in the format of that protocol. */
const firstReplies: Readonly<Record<TwoSteps['protocol'], ScriptedCompletion>> = {
  text: { text: 'Thought: I look.\nAction: read_file(path="a.ts")' },
  xml: {
    text: 'I look.\n<tool_code><name>read_file</name><parameters>{"path": "a.ts"}</parameters></tool_code>',
  },
  json: { text: '{"thought": "I look.", "action": {"tool": "read_file", "args": {"path": "a.ts"}}}' },
  native: {
    text: 'I look.',
    reasoning: state.reasoning,
    reasoningDetails: state.reasoningDetails,
    toolCalls: [{ ...call, thoughtSignature: state.thoughtSignature }],
  },
};

const lastReplies: Readonly<Record<TwoSteps['protocol'], ScriptedCompletion>> = {
  text: { text: `Final Answer: ${ANSWER}` },
  xml: { text: `<final_answer>${ANSWER}</final_answer>` },
  json: { text: JSON.stringify({ thought: 'I know.', final_answer: ANSWER }) },
  native: { text: ANSWER },
};

/** Runs two steps through the service, and compares what the provider received with what it had sent. */
export async function runTwoSteps(
  { route, protocol, streamed }: TwoSteps,
  { serviceUrl, provider, fake }: { serviceUrl: string; provider: string; fake: FakeProvider },
): Promise<Outcome> {
  const before = fake.requests.length;
  fake.script(({ rawBody }) =>
    rawBody.includes(OBSERVATION) ? lastReplies[protocol] : firstReplies[protocol],
  );
  const client = new StepwiseClient({ baseUrl: serviceUrl, llmKey: gatewayKey });
  const result = await client
    .run('What is the total?', {
      llmConfig: { modelName: route.model, provider, tokenLimit: 16_000, reservedOutputTokens: 1_000 },
      protocol,
      tools: [readFile],
      maxSteps: 3,
      stream: streamed,
      clientTools: [],
      retries: 0,
    })
    .result();
  const second = fake.requests.slice(before).find(({ rawBody }) => rawBody.includes(OBSERVATION));
  const problem = problemOf(result);
  if (problem) return { problem, kept: [], lost: [] };
  if (protocol !== 'native' || !second) return { kept: [], lost: [] };
  return compareState(route, result, second);
}

function problemOf({ stopReason, error, answer, steps }: RunResult): string | undefined {
  if (error) {
    const { code, upstream_status, details } = error;
    return [code, upstream_status, ...details.map(({ message }) => message)]
      .filter((part) => part !== null)
      .join(' · ');
  }
  if (stopReason !== 'answered' || answer !== ANSWER) return `${stopReason}: ${(answer ?? '').slice(0, 120)}`;
  const actions = steps.flatMap((step) => step.actions);
  return actions.length === 1 && actions[0]?.success ? undefined : `${actions.length} actions`;
}

/** Functions that return, for each backend, which fields of reasoning state a request to it contains. */
const stateReaders: Readonly<
  Record<Route['backend'], (request: RecordedRequest) => Record<string, boolean>>
> = {
  chat: ({ body }) => {
    const [message] = list(body['messages']).filter((each) => 'tool_calls' in each);
    const [sent] = list(message?.['tool_calls']);
    return {
      reasoning_content: message?.['reasoning_content'] === state.reasoning,
      reasoning_details: isDeepStrictEqual(message?.['reasoning_details'], state.reasoningDetails),
      thought_signature: JSON.stringify(sent ?? null).includes(state.thoughtSignature),
    };
  },
  messages: ({ body }) => {
    const blocks = list(body['messages']).flatMap(({ content }) => list(content));
    const thinking = blocks.find(({ type }) => type === 'thinking');
    return { thinking: thinking?.['thinking'] === state.reasoning && Boolean(thinking['signature']) };
  },
  responses: ({ body }) => ({
    encrypted_content: list(body['input']).some(
      ({ type, encrypted_content }) => type === 'reasoning' && typeof encrypted_content === 'string',
    ),
  }),
};

type Fields = Readonly<Record<string, unknown>>;
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value : []);

function compareState({ backend }: Route, { history }: RunResult, second: RecordedRequest): Outcome {
  const fields = Object.entries(stateReaders[backend](second));
  const received = JSON.stringify(history.map((turn) => turn.provider_state ?? null));
  return {
    kept: fields.filter(([, isKept]) => isKept).map(([name]) => name),
    lost: fields
      .filter(([, isKept]) => !isKept)
      .map(([name]) => `${name} ${received.includes(`"${name}"`) ? 'in the request' : 'in the reply'}`),
  };
}
