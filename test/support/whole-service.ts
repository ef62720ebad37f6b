import { Writable } from 'node:stream';
import { pino } from 'pino';
import supertest from 'supertest';
import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { type FakeProvider, type Script, startFakeProvider } from '../../src/offline/fake-provider.js';
import { readConfig } from '../../src/service/settings/config.js';
import { startService } from '../../src/service/start.js';
import { assertKeepsContract } from './contract-check.js';
import { patientEnvironment } from './patience.js';
import { withEnvironment } from './with-environment.js';

export const uuid = '0b9e2f7e-5a57-4c7a-9c0a-1f3d5f6a7b8c';
export const key = 'sk-canary-0123456789-abcdefghij';

/** One model for each vendor. Both models support every protocol in which calls are written as text. */
export const vendors = { openai: 'gpt-4o', anthropic: 'claude-sonnet-4-6' } as const;
export type VendorName = keyof typeof vendors;

/** The real service in front of a fake provider. Nothing else is faked. */
export interface WholeService {
  readonly url: string;
  readonly fake: FakeProvider;
  /** Log lines that the service has written so far. */
  readonly log: readonly string[];
  /** Requests a step, and checks the response against the contract. */
  step(changes?: Partial<StepRequestInput>): Promise<StepAnswer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<StepAnswer>;
  close(): Promise<void>;
}

export interface StepAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Step;
}

/** Starts the service. In the given settings, `FAKE_URL` is replaced by the address of the fake provider. */
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
    ...patientEnvironment,
    ...Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replaceAll('FAKE_URL', fake.url)]),
    ),
  });
  const ofTelemetry = Object.fromEntries(
    Object.entries(environment).filter(([name]) => name.startsWith('OTEL_')),
  );
  const service = await withEnvironment(ofTelemetry, () => startService(config, pino(linesInto(log))));
  const post: WholeService['post'] = async (path, body, headers = {}) => {
    const request = supertest(service.url).post(path).set(headers);
    const response = await request.send(JSON.stringify(body)).type('json');
    const answer = { status: response.status, headers: response.headers, body: response.body };
    assertKeepsContract('POST', path, { ...answer, sent: body });
    return answer;
  };
  const step: WholeService['step'] = (changes) => post('/api/agent/react_step', stepRequest(changes));
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

/** Returns a valid step request, changed as given. */
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
