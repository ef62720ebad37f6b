import { randomUUID } from 'node:crypto';
import type { TurnInput } from '../../src/contract/history.js';
import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { StepwiseError } from '../../src/sdk/base/stepwise-error.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { Outcome } from './two-steps.js';

/**
 * A run of two steps with the small model. The model may write anything, so the second step continues a fixed call
 * instead of the model's own.
 */
export interface SmallModelRun {
  /** Name of the upstream. */
  readonly provider: string;
  readonly protocol: 'text' | 'json' | 'native';
  readonly streamed: boolean;
}

/**
 * Client timeout, longer than the service's deadline in this check, so that a slow machine gets the service's own
 * error.
 */
const TIMEOUT_MS = 330_000;

const task = 'What is the total in a.ts?';

const observed: readonly TurnInput[] = [
  { role: 'user', content: task },
  { role: 'assistant', content: 'I look.', toolCall: { name: 'read_file', parameters: { path: 'a.ts' } } },
  { role: 'tool_observation', content: 'The total is 4211.' },
];

function request({ provider, protocol }: SmallModelRun, changes: object): StepRequestInput {
  return {
    project_id: randomUUID(),
    session_id: randomUUID(),
    user_query: '',
    conversation_history: [],
    llm_config: {
      modelName: 'smollm2',
      provider,
      tokenLimit: 4_096,
      reservedOutputTokens: 400,
      maxOutputTokens: protocol === 'json' ? 300 : 48,
      temperature: 0,
    },
    protocol,
    tools: [
      {
        name: 'read_file',
        inputSchema: {
          type: 'object',
          properties: { path: { type: 'string', maxLength: 40 } },
          required: ['path'],
        },
      },
    ],
    max_iterations_left: 2,
    ...changes,
  };
}

/**
 * Runs both steps. The server passes if it accepts both requests, and if each reply that a schema constrains can be
 * parsed. The text of other replies does not matter, because the model is so small.
 */
export async function runSmallModel(run: SmallModelRun, serviceUrl: string): Promise<Outcome> {
  const client = new StepwiseClient({ baseUrl: serviceUrl, timeoutMs: TIMEOUT_MS });
  const ask = (changes: object) => step(client, request(run, changes), run.streamed);
  try {
    const first = await ask({ user_query: task });
    const last = await ask({ conversation_history: observed, max_iterations_left: 1 });
    const problem = [first, last].map((each) => problemOf(each, run)).find((each) => each !== undefined);
    return { ...(problem && { problem }), kept: [], lost: [] };
  } catch (error) {
    return { problem: describe(error), kept: [], lost: [] };
  }
}

/** Error codes that are caused by the model itself, and so say nothing about the server. */
const ofTheModel = ['output_truncated', 'empty_response'];

function problemOf({ error, parse }: Step, { protocol }: SmallModelRun): string | undefined {
  if (error)
    return ofTheModel.includes(error.code) ? undefined : `${error.code} ${JSON.stringify(error.details)}`;
  if (protocol !== 'json' || parse?.confidence === 'constrained') return undefined;
  return `a reply with a schema has the confidence ${String(parse?.confidence)}`;
}

async function step(client: StepwiseClient, sent: StepRequestInput, streamed: boolean): Promise<Step> {
  if (!streamed) return client.step(sent);
  for await (const event of client.stream(sent)) if (event.type === 'step.completed') return event.step;
  throw new Error('the stream has no step');
}

/** Returns the code of a service error, and the server's own message. */
function describe(error: unknown): string {
  if (!(error instanceof StepwiseError)) return String(error);
  return [error.code, ...error.details.map(({ message }) => message)].join(' · ');
}
