import { pino } from 'pino';
import type { Turn } from '../../src/contract/history.js';
import type { Step } from '../../src/contract/step.js';
import { startService } from '../../src/service/start.js';
import { createReadTools } from '../../src/tools/index.js';
import { type Relay, startRelay } from './relay.js';
import { type Protocol, resultOf, type TriedStep } from './tried-step.js';

export const shop = 'examples/shop';
const trialId = '0b9e2f7e-5a57-4c7a-9c0a-1f3d5f6a7b8c';
/** In milliseconds: a small machine may be slow. */
const PATIENCE = 280_000;
const MOST_TOKENS_OF_A_REPLY = 120;

/** The environment of a service that knows the model as the upstream `trial`. */
export const environmentFor = (url: string) => ({
  UPSTREAMS: JSON.stringify({ trial: { url, keyRequired: false, structured: 'llama' } }),
  STEP_DEADLINE_MS: String(PATIENCE),
});

export interface AskedStep {
  readonly question: string;
  readonly protocol: Protocol;
  readonly seed: number;
  readonly history?: readonly Turn[];
}

/** A service in front of the model, with three tools that read. */
export interface TrialService {
  readonly relay: Relay;
  step(asked: AskedStep): Promise<Step>;
  close(): Promise<void>;
}

export async function startTrialService(model: string): Promise<TrialService> {
  const relay = await startRelay(model);
  const service = await startService(
    { PORT: 0, ...environmentFor(relay.url), STEP_DEADLINE_MS: PATIENCE },
    pino({ level: 'silent' }),
  );
  const tools = (await createReadTools(shop))
    .filter(({ name }) => ['read_file', 'list_files', 'search_code'].includes(name))
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return {
    relay,
    step: (asked) => postStep(service.url, asked, tools),
    close: async () => {
      await service.close();
      relay.close();
    },
  };
}

async function postStep(
  url: string,
  { question, protocol, seed, history = [] }: AskedStep,
  tools: readonly unknown[],
): Promise<Step> {
  const response = await fetch(`${url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      project_id: trialId,
      session_id: trialId,
      user_query: history.length === 0 ? question : '',
      conversation_history: history,
      llm_config: {
        provider: 'trial',
        modelName: 'any',
        tokenLimit: 8_000,
        reservedOutputTokens: 700,
        maxOutputTokens: MOST_TOKENS_OF_A_REPLY,
        temperature: 0.5,
        seed,
        deadlineMs: PATIENCE,
      },
      max_iterations_left: 5,
      protocol,
      tools,
      include: { completion_text: true },
    }),
  });
  // the service holds its answers to its contract
  return (await response.json()) as Step;
}

/** What is recorded of a step. */
export function recordOf(
  step: Step,
  { question, protocol, seed }: AskedStep,
  { relay, example }: { readonly relay: Relay; readonly example: boolean },
): TriedStep {
  const call = step.action_details?.raw_action_string.replace(/^Action: /, '');
  const prompt = relay.shown.get(seed)?.map(({ content }) => content) ?? [];
  return {
    protocol,
    example,
    question,
    result: resultOf(step),
    isCopied: call !== undefined && prompt.some((content) => content.includes(call)),
    confidence: step.parse?.confidence ?? null,
    reply: step.completion_text ?? null,
  };
}
