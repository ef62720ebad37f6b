/**
 * Yields the events that `work` emits. Each `emit` resolves when the reader asks for the next event, so `work` waits for a
 * slow reader. If the reader leaves early, calls `abandon`, drops further events and waits for `work` to end.
 */
export const relay = <Event>(
  work: (emit: (event: Event) => Promise<void>) => Promise<void>,
  abandon: () => void,
): AsyncGenerator<Event, void> => leaveAtOnce(relayEvents(work), abandon);

/**
 * Returns the generator, changed so that `return` and `throw` call `leave` first. A generator itself would wait for a pending
 * `next`, which can take as long as a model call, before it learns that its reader has left.
 */
export function leaveAtOnce<Value>(
  generator: AsyncGenerator<Value, void>,
  leave: () => void,
): AsyncGenerator<Value, void> {
  const finish = generator.return.bind(generator);
  const fail = generator.throw.bind(generator);
  generator.return = (value) => {
    leave();
    return finish(value);
  };
  generator.throw = (error) => {
    leave();
    return fail(error);
  };
  return generator;
}

async function* relayEvents<Event>(
  work: (emit: (event: Event) => Promise<void>) => Promise<void>,
): AsyncGenerator<Event, void> {
  const waiting: { readonly event: Event; readonly taken: () => void }[] = [];
  let wake = (): void => undefined;
  let finished = false;
  let left = false;
  const emit = (event: Event) =>
    new Promise<void>((taken) => {
      if (left) return taken();
      waiting.push({ event, taken });
      wake();
    });
  const done = work(emit).finally(() => {
    finished = true;
    wake();
  });
  done.catch(() => undefined);
  try {
    while (!finished || waiting.length > 0) {
      const next = waiting[0];
      if (next) {
        yield next.event;
        waiting.shift();
        next.taken();
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    await done;
  } finally {
    left = true;
    for (const { taken } of waiting) taken();
    await done.catch(() => undefined);
  }
}
