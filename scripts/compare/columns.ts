/** What was measured of one run. */
export interface Outcome {
  /** `answered` if the answer is the right one, else how it ended. */
  readonly ending: string;
  readonly seconds: number;
  readonly requests: number;
  /** Seconds between one request and the next. */
  readonly pauses: readonly number[];
  /** Characters of the messages of the longest request. */
  readonly longestPrompt: number;
  /** With what `delete_all` was called. */
  readonly deleted: readonly string[];
  readonly keyIn: readonly string[];
}

/** A column of a case's table. Every cell is made of what was measured, nothing else. */
export interface Column {
  readonly heading: string;
  readonly cell: (outcomes: readonly Outcome[]) => string;
}

const ofOne = (heading: string, cell: (outcome: Outcome) => string): Column => ({
  heading,
  cell: ([outcome]) => (outcome ? cell(outcome) : ''),
});

export const columns = {
  ending: ofOne('ended', ({ ending }) => ending),
  endings: { heading: 'ended', cell: (outcomes) => counted(outcomes.map(({ ending }) => ending)) },
  requests: ofOne('requests', (outcome) => String(outcome.requests)),
  seconds: ofOne('seconds', (outcome) => outcome.seconds.toFixed(1)),
  pauses: ofOne('seconds between requests', ({ pauses }) =>
    pauses.map((pause) => pause.toFixed(1)).join(', '),
  ),
  longestPrompt: ofOne('longest prompt, in characters', (outcome) =>
    outcome.longestPrompt.toLocaleString('en'),
  ),
  deleted: ofOne('`delete_all` ran', ({ deleted }) =>
    deleted.length === 0 ? 'no' : `${deleted.length} ×, with ${deleted.map(code).join(', ')}`,
  ),
  deletedRuns: {
    heading: '`delete_all` ran',
    cell: (outcomes) =>
      `in ${outcomes.filter(({ deleted }) => deleted.length > 0).length} of ${outcomes.length}`,
  },
  whereTheKeyWas: ofOne('the key was in', ({ keyIn }) => keyIn.join(', ') || 'nothing'),
} satisfies Record<string, Column>;

/** The most frequent first. */
function counted(endings: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const ending of endings) counts.set(ending, (counts.get(ending) ?? 0) + 1);
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([ending, count]) => `${count} × ${ending}`)
    .join(', ');
}

const code = (text: string): string => `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
