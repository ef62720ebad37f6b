/** A place on the page that has an address: a run, and perhaps one of its steps. */
export interface Place {
  readonly run: string;
  readonly step: number | null;
}

/** `#/run-2/step/3` */
export const formatLink = ({ run, step }: Place): string =>
  step === null ? `#/${run}` : `#/${run}/step/${step}`;

/** Null for what is no place: a link may be anybody's. */
export function readLink(hash: string): Place | null {
  const [, run, step] = /^#\/([\w-]{1,80})(?:\/step\/(\d{1,6}))?$/.exec(hash) ?? [];
  return run === undefined ? null : { run, step: step === undefined ? null : Number(step) };
}
