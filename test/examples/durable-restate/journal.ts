import type { Restate } from './restate.js';

interface Row {
  readonly run: string;
  readonly entry_type: string;
  readonly name: string | null;
  /** True if the step failed temporarily and will be retried. */
  readonly unmade: boolean;
}

const unbilled = Buffer.from('"billed":false').toString('hex');

/** State of each `ctx.run` in the journal, by names such as `trial-7 step 2` and `trial-7 call_1 refund_order`. */
export interface Journal {
  /** Entries with a result. */
  readonly done: ReadonlySet<string>;
  /** Entries without a result. */
  readonly open: ReadonlySet<string>;
}

export async function readJournal(restate: Restate): Promise<Journal> {
  const rows = await restate.query<Row>(
    `select i.target_service_key as run, j.entry_type, j.name, encode(j.raw, 'hex') like '%${unbilled}%' as unmade
     from sys_journal j join sys_invocation i on j.id = i.id
     where i.target_handler_name = 'run' and j.entry_type in ('Command: Run', 'Notification: Run')
     order by j.id, j.index`,
  );
  // A run executes one entry at a time, so a result belongs to the latest command.
  const latest = new Map<string, string>();
  const [done, open] = [new Set<string>(), new Set<string>()];
  for (const { run, entry_type, name, unmade } of rows) {
    if (entry_type === 'Command: Run') latest.set(run, `${run} ${name}`);
    const subject = latest.get(run) ?? run;
    if (entry_type === 'Command: Run') open.add(subject);
    else if (!unmade && open.delete(subject)) done.add(subject);
  }
  return { done, open };
}
