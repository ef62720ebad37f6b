/** In characters: what a reader that is slow does not see of an output is its beginning. */
const MAX_WAITING_OUTPUT = 16_000;

/** Tells what a tool says while it works: one piece on its way at a time; what is said meanwhile goes with the next. */
export function relayOutput(tell: (piece: string) => Promise<void>) {
  let waiting = '';
  let isEnded = false;
  let telling: Promise<void> | undefined;
  const tellAll = async () => {
    while (waiting !== '') {
      const piece = waiting;
      waiting = '';
      await tell(piece);
    }
    telling = undefined;
  };
  return {
    add: (piece: string) => {
      if (isEnded) return;
      waiting = (waiting + piece).slice(-MAX_WAITING_OUTPUT);
      telling ??= tellAll();
    },
    end: async () => {
      isEnded = true;
      await telling;
    },
  };
}
