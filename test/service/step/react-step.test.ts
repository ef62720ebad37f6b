import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { ContextReport } from '../../../src/contract/context-report.js';
import type { StepRequest } from '../../../src/contract/step-request.js';
import type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  Provider,
} from '../../../src/service/step/provider.js';
import { reactStep, type StepObserver, type StepResult } from '../../../src/service/step/react-step.js';
import { createTokenCounter, type TokenCounter } from '../../../src/tokens/token-counter.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { completionOf } from '../../support/completion.js';
import { prepare, profile, untraced } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

interface WaitingStep {
  readonly result: Promise<StepResult>;
  readonly mustGo: readonly WeakRef<object>[];
  answer(completion: Completion): void;
}

const unstreamed: Provider['stream'] = () => {
  throw new Error('no step is streamed without an observer');
};

const unobserved: Provider['complete'] = () => {
  throw new Error('a step with an observer is streamed');
};

interface Trial {
  readonly request?: StepRequest;
  readonly tokens?: TokenCounter;
  readonly signal?: AbortSignal;
  readonly stream?: Provider['stream'];
  readonly observer?: StepObserver;
}

/** Makes a step with the given model call. */
function stepWith(
  complete: Provider['complete'],
  {
    request = stepRequest({}),
    tokens = createTokenCounter('o200k_base'),
    signal = new AbortController().signal,
    stream = unstreamed,
    observer,
  }: Trial,
): Promise<StepResult> {
  const provider = { name: 'test', complete, stream };
  const deadline = { signal, remainingMs: () => 60_000 };
  const now = () => new Date();
  const dependencies = { provider, profile, tokens, deadline, sources: [], during: untraced, redact, now };
  return reactStep(request, dependencies, observer);
}

const redact = (text: string) => text;

/** Starts a step whose model has not replied yet. The result keeps no reference to the request. */
async function startStep(): Promise<WaitingStep> {
  const mustGo: WeakRef<object>[] = [];
  let answer = (_: Completion): void => {};
  const completion = new Promise<Completion>((resolve) => {
    answer = resolve;
  });
  let result: Promise<StepResult> | undefined;
  const asked = new Promise<void>((resolve) => {
    const complete = (request: CompletionRequest) => {
      mustGo.push(new WeakRef(request.prompt), new WeakRef(request.prompt.messages));
      resolve();
      return completion;
    };
    start({ name: 'test', complete, stream: unstreamed });
  });
  function start(provider: Provider): void {
    const files = [{ path: 'a.ts', content: 'const a = 1;\n' }];
    const request = stepRequest({ inline_context: { files }, explicit_context_paths: ['a.ts'] });
    const tokens = createTokenCounter('o200k_base');
    const deadline = { signal: new AbortController().signal, remainingMs: () => 60_000 };
    mustGo.push(new WeakRef(request), new WeakRef(tokens));
    const now = () => new Date();
    const dependencies = { provider, profile, tokens, deadline, sources: [], redact, now };
    result = reactStep(request, { during: untraced, ...dependencies });
  }
  await asked;
  await nextTurn();
  if (!result) throw new Error('the step was not started');
  return { result, mustGo, answer };
}

test('while a step waits for the model, it keeps no request, files, counted texts or prompt in memory (rule: lean-waiting)', async () => {
  const { result, mustGo, answer } = await startStep();
  collectGarbage();
  expect(mustGo.map((held) => held.deref())).toEqual(mustGo.map(() => undefined));
  answer(completionOf('Final Answer: 42'));
  expect((await result).direct_response).toBe('42');
});

const question = 'Which of the two is the older one, and how can it be reported? '.repeat(4).trim();

test('a step counts the whole prompt before the model call, and nothing afterwards (rule: counting)', async () => {
  const exact = createTokenCounter('o200k_base');
  const counted: string[] = [];
  const tokens: TokenCounter = {
    ...exact,
    countMessages: (messages) => {
      for (const { texts } of messages) counted.push(...texts.flat());
      return exact.countMessages(messages);
    },
  };
  let before: readonly string[] = [];
  const complete = async () => {
    before = [...counted];
    return completionOf('Final Answer: 42');
  };
  const request = stepRequest({ user_query: question });
  const { context_report } = await stepWith(complete, { request, tokens });
  expect(before.join('')).toContain(question);
  expect(counted).toEqual(before);
  expect(context_report).toEqual((await prepare(request)).report);
});

test('a step reports its context to the observer before the model call (rule: stream-events)', async () => {
  const events: string[] = [];
  let reported: ContextReport | undefined;
  const observer: StepObserver = {
    contextBuilt: async (report) => {
      reported = report;
      events.push('reported');
    },
    delta: () => undefined,
    actionProposed: () => undefined,
  };
  async function* stream(): AsyncGenerator<CompletionEvent> {
    events.push('called');
    yield { type: 'completion', completion: completionOf('Final Answer: 42') };
  }
  const { context_report } = await stepWith(unobserved, { stream, observer });
  expect(events).toEqual(['reported', 'called']);
  expect(context_report).toEqual(reported);
});

test('a step reports each proposed action to the observer, in order (rule: stream-events)', async () => {
  const proposed: string[] = [];
  const observer: StepObserver = {
    contextBuilt: () => undefined,
    delta: () => undefined,
    actionProposed: ({ id }) => void proposed.push(id),
  };
  const toolCalls = ['x', 'y', 'z'].map((id) => ({ id, name: 'ping', arguments: '{}' }));
  async function* stream(): AsyncGenerator<CompletionEvent> {
    yield { type: 'completion', completion: completionOf('', { toolCalls }) };
  }
  const tools = [{ name: 'ping', inputSchema: { type: 'object' } }];
  const request = stepRequest({ tools, protocol: 'native' });
  await stepWith(unobserved, { request, stream, observer });
  expect(proposed).toEqual(['x', 'y', 'z']);
});

test('a step rejects with the error of the model call', async () => {
  const refuse = async () => {
    throw new Error('refused');
  };
  await expect(stepWith(refuse, {})).rejects.toThrow('refused');
});

test('a step that is aborted while counting rejects and calls no model (rule: one-deadline)', async () => {
  const leaving = new AbortController();
  const left = new Error('left');
  const exact = createTokenCounter('o200k_base', { signal: leaving.signal });
  const tokens: TokenCounter = {
    ...exact,
    countMessages: (messages) => {
      leaving.abort(left);
      return exact.countMessages(messages);
    },
  };
  let calls = 0;
  const complete = async () => {
    calls += 1;
    return completionOf('Final Answer: 42');
  };
  await expect(stepWith(complete, { tokens, signal: leaving.signal })).rejects.toBe(left);
  expect(calls).toBe(0);
});
