import { untilAborted } from './until-aborted.js';

/** What is made when it is first asked for, and only once. */
export interface OnDemand<Value> {
  /** Throws the signal's reason if that fires before it is made. */
  get(signal?: AbortSignal): Promise<Value>;
  /** Undefined until it was asked for. */
  made(): Promise<Value> | undefined;
}

/** What could not be made is made anew when it is asked for again. */
export function onDemand<Value>(make: () => Promise<Value>): OnDemand<Value> {
  let made: Promise<Value> | undefined;
  let isMade = false;
  const keep = (): void => {
    isMade = true;
  };
  const forget = (): void => {
    made = undefined;
  };
  return {
    made: () => made,
    get: (signal) => {
      if (!made) {
        made = make();
        made.then(keep, forget);
      }
      return signal && !isMade ? untilAborted(made, signal) : made;
    },
  };
}
