import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import supertest from 'supertest';
import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { readConfig } from '../../src/service/config.js';
import {
  type FakeProvider,
  type Script,
  startFakeProvider,
} from '../../src/service/offline/fake-provider.js';
import { startService } from '../../src/service/start.js';
import { assertKeepsContract } from './contract-check.js';

export const uuid = '0b9e2f7e-5a57-4c7a-9c0a-1f3d5f6a7b8c';
export const key = 'sk-canary-0123456789-abcdefghij';

/** The vendors, and a model of each that takes every written protocol. */
export const vendors = { openai: 'gpt-4o', anthropic: 'claude-sonnet-4-6' } as const;
export type VendorName = keyof typeof vendors;

/** The real service in front of a fake provider: nothing between them is a double. */
export interface WholeService {
  readonly url: string;
  readonly fake: FakeProvider;
  /** Log lines so far. */
  readonly log: readonly string[];
  /** Posts to the step endpoint and holds the answer to the contract. */
  step(changes?: Partial<StepRequestInput>): Promise<StepAnswer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<StepAnswer>;
  close(): Promise<void>;
}

export interface StepAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Step;
}

export async function startWholeService(
  script?: Script,
  environment: Record<string, string> = {},
): Promise<WholeService> {
  const fake = await startFakeProvider(script);
  const log: string[] = [];
  const config = readConfig({
    PORT: '0',
    OFFLINE_MODEL: 'off',
    OPENAI_UPSTREAM_URL: `${fake.url}/v1`,
    ANTHROPIC_UPSTREAM_URL: fake.url,
    UPSTREAMS: JSON.stringify({ local: { url: `${fake.url}/v1`, keyRequired: false } }),
    SHUTDOWN_GRACE_MS: '1000',
    ...environment,
  });
  const service = await startService(config, pino(linesInto(log)));
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    supertest(service.url).post(path).set(headers).send(JSON.stringify(body)).type('json');
  const post: WholeService['post'] = async (...request) => {
    const [path] = request;
    let response = await send(...request);
    // A busy machine holds the event loop up, and the service says no: a client that waits is answered (rule: overload).
    for (let tries = 0; tries < MOST_TRIES && isBusy(response) && !environment['MAX_IN_FLIGHT']; tries += 1) {
      await wait(shedMs);
      response = await send(...request);
    }
    const answer = { status: response.status, headers: response.headers, body: response.body };
    assertKeepsContract('POST', path, answer);
    return answer;
  };
  const step: WholeService['step'] = (changes) => post('/api/agent/react_step', stepRequest(changes));
  await untilTaken(step);
  log.length = 0;
  return {
    url: service.url,
    fake,
    log,
    post,
    step,
    close: async () => {
      await service.close();
      await fake.close();
    },
  };
}

const MOST_TRIES = 20;
const isBusy = ({ status, body }: supertest.Response): boolean =>
  status === 503 && body.error?.code === 'overloaded';

/** The service sheds load for a second after the event loop was held. */
const shedMs = 1_100;
/** The first answer compiles the schemas it is held to; in one process with the service, that holds it up. */
async function untilTaken(step: WholeService['step']): Promise<void> {
  const withoutCall = { max_iterations_left: 0 };
  const start = performance.now();
  await step(withoutCall);
  if (performance.now() - start > 200) await wait(shedMs);
  while ((await step(withoutCall)).status === 503) await wait(100);
}

/** A request that any service answers; changes are laid over it. */
export function stepRequest(changes: Partial<StepRequestInput> = {}): StepRequestInput {
  return {
    project_id: uuid,
    session_id: uuid,
    user_query: 'Where is the total computed?',
    conversation_history: [],
    llm_config: llmConfig('openai'),
    user_api_keys: { llmKey: key },
    max_iterations_left: 5,
    ...changes,
  };
}

export function llmConfig(vendor: VendorName): StepRequestInput['llm_config'] {
  return { modelName: vendors[vendor], provider: vendor, tokenLimit: 16_000, reservedOutputTokens: 1_000 };
}

function linesInto(log: string[]): Writable {
  return new Writable({
    write(line: Buffer, _encoding, done) {
      log.push(line.toString());
      done();
    },
  });
}
