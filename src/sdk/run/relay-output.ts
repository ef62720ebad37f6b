/** Maximum output that waits for a slow reader; of a longer output, the beginning is dropped. */
const MAX_WAITING_CHARS = 16_000;

/** Sends the output of a running tool in deltas. One delta is in flight at a time; output that arrives meanwhile is joined. */
export function relayOutput(send: (delta: string) => Promise<void>) {
  let waiting = '';
  let isEnded = false;
  let sending: Promise<void> | undefined;
  const sendAll = async () => {
    while (waiting !== '') {
      const delta = waiting;
      waiting = '';
      await send(delta);
    }
    sending = undefined;
  };
  return {
    add: (delta: string) => {
      if (isEnded) return;
      waiting = (waiting + delta).slice(-MAX_WAITING_CHARS);
      sending ??= sendAll();
    },
    end: async () => {
      isEnded = true;
      await sending;
    },
  };
}
