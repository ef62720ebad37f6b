/** What is made when it is first asked for, and only once. */
export interface OnDemand<Value> {
  get(): Promise<Value>;
  /** Undefined until it was asked for. */
  made(): Promise<Value> | undefined;
}

/** What could not be made is made anew when it is asked for again. */
export function onDemand<Value>(make: () => Promise<Value>): OnDemand<Value> {
  let made: Promise<Value> | undefined;
  const forget = (): void => {
    made = undefined;
  };
  return {
    made: () => made,
    get: () => {
      if (!made) {
        made = make();
        made.catch(forget);
      }
      return made;
    },
  };
}
