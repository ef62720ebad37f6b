import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { RecordedTrace } from '../../../../src/service/operations/tracing/recorded-trace.js';
import type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  Provider,
} from '../../../../src/service/step/provider.js';
import { collectGarbage } from '../../../support/collect-garbage.js';
import { completionOf } from '../../../support/completion.js';
import { completionRequest, patienceOf } from '../../../support/providers/requests.js';

/**
 * Makes a traced call of a model that has not replied yet. The returned object holds the request only by a weak
 * reference.
 */
function callTraced(streamed: boolean) {
  const { promise: completion, resolve: answer } = promiseOf<Completion>();
  const provider: Provider = {
    name: 'test',
    complete: () => completion,
    stream: () => eventsOf(completion),
  };
  const tracer = new TracerProvider().getTracer('test');
  const trace = new RecordedTrace(tracer, { method: 'POST', route: '/api/agent/react_step', headers: {} });
  const ask = (request: CompletionRequest) => {
    const traced = trace.connect(
      () => provider,
      (text) => text,
    );
    const result = streamed
      ? lastOf(traced.stream(request, patienceOf()))
      : traced.complete(request, patienceOf());
    return { result, asked: new WeakRef(request), traced };
  };
  const result = trace.during('read_situation', () => ask(completionRequest()));
  return { ...result, answer, trace };
}

function promiseOf<Value>() {
  let resolve = (_: Value): void => {};
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function* eventsOf(completion: Promise<Completion>): AsyncGenerator<CompletionEvent> {
  yield { type: 'completion', completion: await completion };
}

async function lastOf(events: AsyncIterable<CompletionEvent>): Promise<Completion> {
  for await (const event of events) if (event.type === 'completion') return event.completion;
  throw new Error('no completion');
}

test.each([
  false,
  true,
])('a traced call keeps its request out of memory while it waits for the model; streamed: %s (rules: lean-waiting, tracing)', async (streamed) => {
  const { asked, answer, result, ...held } = callTraced(streamed);
  await nextTurn();
  collectGarbage();
  expect(asked.deref()).toBeUndefined();
  answer(completionOf('Final Answer: 42'));
  expect((await result).text).toBe('Final Answer: 42');
  expect(Object.keys(held)).toEqual(['traced', 'trace']);
});
