import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import type { Completion, CompletionRequest, Provider } from '../../../src/service/agent/provider.js';
import { reactStep, type StepResult } from '../../../src/service/agent/react-step.js';
import { StringLiterals } from '../../../src/service/json/string-literals.js';
import { createTokenCounter } from '../../../src/service/tokens/token-counter.js';
import { completionOf } from '../../support/completion.js';
import { plainly, profile } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

interface WaitingStep {
  readonly result: Promise<StepResult>;
  readonly mustGo: readonly WeakRef<object>[];
  answer(completion: Completion): void;
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
    const stream = () => {
      throw new Error('nobody watches');
    };
    start({ name: 'test', complete, stream });
  });
  function start(provider: Provider): void {
    const files = [{ path: 'a.ts', content: 'const a = 1;\n' }];
    const request = stepRequest({ inline_context: { files }, explicit_context_paths: ['a.ts'] });
    const tokens = createTokenCounter('o200k_base');
    const literals = new StringLiterals();
    const deadline = { signal: new AbortController().signal, remainingMs: () => 60_000 };
    mustGo.push(new WeakRef(request), new WeakRef(tokens), new WeakRef(literals));
    const now = () => new Date();
    const dependencies = { provider, profile, tokens, deadline, literals, sources: [], now };
    result = reactStep(request, { during: plainly, ...dependencies });
  }
  await asked;
  if (!result) throw new Error('the step was not started');
  return { result, mustGo, answer };
}

test('(rule: lean-waiting) while the model is awaited, request, files, counted texts and prompt are let go', async () => {
  const { result, mustGo, answer } = await startStep();
  await nextTurn();
  collectGarbage();
  expect(mustGo.map((held) => held.deref())).toEqual(mustGo.map(() => undefined));
  answer(completionOf('Final Answer: 42'));
  expect((await result).direct_response).toBe('42');
});
