interface Shown {
  readonly shown: number;
  readonly total: number;
  /** What is counted, in the plural. */
  readonly what: string;
  /** How to get the rest. */
  readonly rest: string;
  /** True where counting stopped early: the total is a lower bound. */
  readonly atLeast?: boolean;
}

/** The one wording for everything a tool cuts: `showing 50 of 312 matches; …`. */
export function showing({ shown, total, what, rest, atLeast = false }: Shown): string {
  const count = `showing ${shown} of ${atLeast ? 'at least ' : ''}${total} ${what}`;
  return shown < total || atLeast ? `${count}; ${rest}` : count;
}
