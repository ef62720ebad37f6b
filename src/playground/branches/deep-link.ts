/** A linkable place on the page: a run, and optionally one of its steps. */
export interface Place {
  readonly run: string;
  readonly step: number | null;
}

/** Formats a place as a URL fragment, such as `#/run-2/step/3`. */
export const formatLink = ({ run, step }: Place): string =>
  step === null ? `#/${run}` : `#/${run}/step/${step}`;

/** Reads a URL fragment, which may come from anywhere; null if it does not name a run of this page. */
export function readLink(hash: string): Place | null {
  const [, run, step] = /^#\/([\w-]{1,80})(?:\/step\/(\d{1,6}))?$/.exec(hash) ?? [];
  return run === undefined ? null : { run, step: step === undefined ? null : Number(step) };
}
