import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import type { StepRequest, StepRequestInput } from '../../../src/contract/step-request.js';
import type { Completion, CompletionRequest, Provider } from '../../../src/service/step/provider.js';
import { reactStep, type StepResult } from '../../../src/service/step/react-step.js';
import type { During } from '../../../src/service/step/step-dependencies.js';
import type { DigestedText } from '../../../src/tokens/text-memo.js';
import { createTokenCounter, type TokenCounter } from '../../../src/tokens/token-counter.js';
import { completionOf } from '../../support/completion.js';
import { plainly, prepare, profile } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The prompt is reported once the request is on its way. */
const TURNS_TO_REPORT = 3;

interface WaitingStep {
  readonly result: Promise<StepResult>;
  readonly mustGo: readonly WeakRef<object>[];
  answer(completion: Completion): void;
}

/** Nobody watches what it says. */
function providerThat(complete: Provider['complete']): Provider {
  const stream = () => {
    throw new Error('nobody watches');
  };
  return { name: 'test', complete, stream };
}

interface Trial {
  readonly request?: StepRequest;
  readonly tokens?: TokenCounter;
  readonly signal?: AbortSignal;
  readonly during?: During;
}

/** A step of which the model says this. */
function stepWith(
  complete: Provider['complete'],
  {
    request = stepRequest({}),
    tokens = createTokenCounter('o200k_base'),
    signal = new AbortController().signal,
    during = plainly,
  }: Trial,
): Promise<StepResult> {
  const deadline = { signal, remainingMs: () => 60_000 };
  const dependencies = { provider: providerThat(complete), profile, tokens, deadline, sources: [], during };
  return reactStep(request, { ...dependencies, now: () => new Date() });
}

/** A step whose model has been asked and does not answer yet; nothing here holds what it was asked. */
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
    start(providerThat(complete));
  });
  function start(provider: Provider): void {
    const files = [{ path: 'a.ts', content: 'const a = 1;\n' }];
    const request = stepRequest({ inline_context: { files }, explicit_context_paths: ['a.ts'] });
    const tokens = createTokenCounter('o200k_base');
    const deadline = { signal: new AbortController().signal, remainingMs: () => 60_000 };
    mustGo.push(new WeakRef(request), new WeakRef(tokens));
    const now = () => new Date();
    const dependencies = { provider, profile, tokens, deadline, sources: [], now };
    result = reactStep(request, { during: plainly, ...dependencies });
  }
  await asked;
  for (let turn = 0; turn < TURNS_TO_REPORT; turn += 1) await nextTurn();
  if (!result) throw new Error('the step was not started');
  return { result, mustGo, answer };
}

test('(rule: lean-waiting) while the model is awaited, request, files, counted texts and prompt are let go', async () => {
  const { result, mustGo, answer } = await startStep();
  collectGarbage();
  expect(mustGo.map((held) => held.deref())).toEqual(mustGo.map(() => undefined));
  answer(completionOf('Final Answer: 42'));
  expect((await result).direct_response).toBe('42');
});

/** A counter that notes the texts it counts, and says so at the moment when the model is asked. */
async function countedWhenAsked(fields: Partial<StepRequestInput>) {
  const exact = createTokenCounter('o200k_base');
  const counted = new Set<string>();
  const note = (pieces: readonly DigestedText[]) => {
    for (const { text } of pieces) counted.add(text);
  };
  const tokens: TokenCounter = {
    ...exact,
    countJoined: (pieces) => {
      note(pieces);
      return exact.countJoined(pieces);
    },
    recall: (pieces) => {
      note(pieces);
      return exact.recall(pieces);
    },
  };
  let before: readonly string[] = [];
  const complete = async () => {
    before = [...counted];
    return completionOf('Final Answer: 42');
  };
  const request = stepRequest(fields);
  const { context_report } = await stepWith(complete, { request, tokens });
  return { before, report: context_report, preview: (await prepare(request)).report };
}

const question = 'Which of the two is the older one, and how can it be told? '.repeat(4).trim();

test('(rule: counted-meanwhile) what is new to the history is counted when the model has been asked', async () => {
  const { before, report, preview } = await countedWhenAsked({ user_query: question });
  expect(before.filter((text) => text.includes(question))).toEqual([]);
  expect(report).toEqual(preview);
});

test('(rule: counted-meanwhile) what may not fit is counted before', async () => {
  const llm_config = { ...stepRequest({}).llm_config, tokenLimit: 600, reservedOutputTokens: 100 };
  const { before, report, preview } = await countedWhenAsked({ user_query: question.repeat(3), llm_config });
  expect(before.filter((text) => text.includes(question))).not.toEqual([]);
  expect(report).toEqual(preview);
});

test('(rule: counted-meanwhile) a step whose call fails says so, and nothing of it goes on', async () => {
  const verbs: string[] = [];
  const during: During = (verb, work) => {
    const result = work();
    if (result instanceof Promise) void result.then(() => verbs.push(verb));
    return result;
  };
  const refuse = async () => {
    throw new Error('refused');
  };
  const step = stepWith(refuse, { during });
  await expect(step).rejects.toThrow('refused');
  expect(verbs).toContain('report_prompt');
});

test('(rule: counted-meanwhile) a long text is counted before', async () => {
  const llm_config = { ...stepRequest({}).llm_config, tokenLimit: 400_000 };
  const long = question.repeat(400);
  const { before } = await countedWhenAsked({ user_query: long, llm_config });
  expect(before.filter((text) => text.includes(long))).not.toEqual([]);
});

test('(rule: counted-meanwhile) a deadline that passes before all is counted ends the step', async () => {
  const leaving = new AbortController();
  const left = new Error('left');
  const leave = async () => {
    leaving.abort(left);
    return completionOf('Final Answer: 42');
  };
  const { signal } = leaving;
  const request = stepRequest({ user_query: `Left: ${question}` });
  const tokens = createTokenCounter('o200k_base', { signal });
  await expect(stepWith(leave, { request, tokens, signal })).rejects.toBe(left);
});
