import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import type { RecordedRequest, ScriptedReply } from '../../src/offline/wire/reply.js';
import { llmConfig, stepRequest } from './whole-service.js';

const paths = {
  step: '/api/agent/react_step',
  stream: '/api/agent/react_step/stream',
  preview: '/api/agent/context_preview',
  compact: '/api/agent/compact_history',
} as const;

/** Scripted replies of the provider, selected by the first word of the task. */
const replies: Readonly<Record<string, ScriptedReply>> = {
  well: { text: 'Thought: I look.\nAction: look_up(key="part 1")', delayMs: 30 },
  unreadable: { text: 'Action: look_up(key="part' },
  slowly: { text: `Final Answer: ${'word '.repeat(400)}`, chunkDelayMs: 1 },
  long: { text: `Final Answer: ${'word '.repeat(60_000)}` },
  error: { fault: 'server-error' },
  html: { fault: 'html' },
  cut: { fault: 'cut' },
  truncated: { fault: 'truncated-json' },
  overloaded: { fault: 'overloaded' },
  silent: { fault: 'silence' },
};

export const replyOf = ({ rawBody }: RecordedRequest): ScriptedReply =>
  replies[/soak-(\w+)-/.exec(rawBody)?.[1] ?? ''] ?? { text: 'Final Answer: 42' };

const tools = [
  { name: 'look_up', inputSchema: { type: 'object', properties: { key: { type: 'string' } } } },
] as const;

/** Returns a text that no earlier request contained, so that no cache applies. */
const freshText = (number: number, bytes: number): string =>
  Array.from(
    { length: Math.ceil(bytes / 40) },
    (_, line) => `const value${number}x${line} = ${line * number};`,
  )
    .join('\n')
    .slice(0, bytes);

interface Sent {
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
}

export interface SoakTarget {
  readonly url: string;
  readonly token: string;
  /** A bearer token whose limits are very low. */
  readonly poorToken: string;
}

/** Requests of several kinds of callers. A number makes each request unique. */
export class SoakLoad {
  readonly #target: SoakTarget;
  readonly #keepAlive = new Agent({ keepAlive: true, maxSockets: 4 });
  /** Number of responses by status. 0 counts broken connections, such as those of callers who disconnect. */
  readonly statuses: Record<number, number> = {};

  constructor(target: SoakTarget) {
    this.#target = target;
  }

  /** Functions that each make one kind of request and wait for its end. */
  readonly kinds: readonly ((number: number) => Promise<void>)[] = [
    (number) => this.#read({ path: paths.step, body: this.#step('well', number, 20_000) }),
    (number) => this.#read({ path: paths.stream, body: this.#step('well', number, 5_000) }),
    (number) => this.#read({ path: paths.step, body: this.#step('unreadable', number, 1_000) }),
    (number) => this.#read({ path: paths.preview, body: this.#step('well', number, 50_000) }),
    (number) => this.#read({ path: paths.compact, body: this.#compaction(number) }),
    (number) => this.#readSlowly({ path: paths.stream, body: this.#step('long', number, 1_000) }),
    (number) => this.#leave({ path: paths.stream, body: this.#step('slowly', number, 10_000) }, number),
    (number) => this.#leave({ path: paths.step, body: this.#step('silent', number, 10_000) }, number),
    (number) => this.#leaveUpload(this.#step('well', number, 30_000)),
    ...['error', 'html', 'cut', 'truncated', 'overloaded', 'silent'].map((fault) => (number: number) => {
      const path = number % 2 === 0 ? paths.step : paths.stream;
      return this.#read({ path, body: this.#step(fault, number, 2_000) });
    }),
    (number) => this.#read({ path: paths.step, body: this.#step('well', number, 400_000) }),
    () => this.#read({ path: paths.step, body: { user_query: 7 } }),
    () => this.#read({ path: paths.step, body: {}, token: 'stepwise_unknown' }),
    (number) =>
      this.#read({ path: paths.step, body: this.#step('well', number, 500), token: this.#target.poorToken }),
    () => this.#read({ path: '/healthz' }),
    () => this.#read({ path: '/metrics' }),
    () => this.#read({ path: '/nowhere' }),
  ];

  /** Closes the connections that the callers keep open between requests. */
  rest(): void {
    this.#keepAlive.destroy();
  }

  #step(kind: string, number: number, bytes: number): StepRequestInput {
    const config = llmConfig(number % 2 === 0 ? 'openai' : 'anthropic');
    return stepRequest({
      user_query: `soak-${kind}-${number}`,
      llm_config: { ...config, deadlineMs: kind === 'silent' ? 300 : 8_000 },
      explicit_context_paths: ['a.ts'],
      inline_context: { files: [{ path: 'a.ts', content: freshText(number, bytes) }] },
      conversation_history: [
        { role: 'user', content: `What was ${number}?` },
        { role: 'assistant', content: 'Nothing.' },
      ],
      tools: [...tools],
    });
  }

  #compaction(number: number): unknown {
    const {
      project_id,
      session_id,
      llm_config,
      conversation_history: before,
    } = this.#step('well', number, 10);
    const more = Array.from({ length: 20 }, (_, turn) => [
      {
        role: 'assistant',
        content: '',
        toolCall: { name: 'look_up', parameters: { key: String(turn) }, id: `c${turn}` },
      },
      { role: 'tool_observation', content: freshText(number + turn, 2_000), toolCallId: `c${turn}` },
    ]).flat();
    return {
      project_id,
      session_id,
      llm_config,
      conversation_history: [...before, ...more],
      strategy: 'mask',
      target_tokens: 2_000,
    };
  }

  #open({ path, body, token = this.#target.token }: Sent, agent: Agent | false = false): ClientRequest {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    };
    const method = text ? 'POST' : 'GET';
    const sent = httpRequest(this.#target.url + path, { method, headers, agent });
    sent.on('error', () => {}); // a caller that disconnects gets an error on its own connection
    sent.end(text);
    return sent;
  }

  async #read(sent: Sent): Promise<void> {
    const response = await this.#answer(this.#open(sent, this.#keepAlive));
    for await (const _ of response ?? []);
  }

  async #readSlowly(sent: Sent): Promise<void> {
    const response = await this.#answer(this.#open(sent));
    let pieces = 0;
    for await (const _ of response ?? []) {
      pieces += 1;
      if (pieces % 4 === 0) await wait(20);
    }
  }

  async #leave(sent: Sent, number: number): Promise<void> {
    const caller = this.#open(sent);
    const answered = this.#answer(caller);
    await wait(5 + (number % 120));
    caller.destroy();
    const response = await answered;
    response?.on('error', () => {}).destroy();
  }

  async #leaveUpload(body: unknown): Promise<void> {
    const text = JSON.stringify(body);
    const headers = { 'Content-Type': 'application/json', 'Content-Length': text.length };
    const options = {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${this.#target.token}` },
      agent: false,
    } as const;
    const caller = httpRequest(this.#target.url + paths.step, options).on('error', () => {});
    caller.write(text.slice(0, text.length / 2));
    await wait(30);
    caller.destroy();
  }

  /** Returns the response to a request; undefined if there was no response. */
  async #answer(caller: ClientRequest): Promise<IncomingMessage | undefined> {
    const response = await new Promise<IncomingMessage | undefined>((resolve) => {
      caller.once('response', resolve).once('close', () => resolve(undefined));
    });
    const status = response?.statusCode ?? 0;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    return response;
  }
}
