/** What is known of a service at any time. It is read when the metrics are, and costs nothing in between. */
export interface ServiceState {
  readonly version: string;
  /** The names of all that are configured. */
  readonly upstreams: () => Promise<readonly string[]>;
  readonly inFlight: {
    readonly count: number;
    readonly max: number;
    /** Requests refused so far, by what there was too much of. */
    readonly refused: Readonly<Record<'in_flight' | 'event_loop', number>>;
  };
  /** Connections that were ended over what never became a request so far, by the reason. */
  readonly refusedConnections: Readonly<Record<string, number>>;
  readonly lagMs: () => number;
  /** Lines of the log that could not be written so far. */
  readonly droppedLines: () => number;
  /** Present if limits are shared. */
  readonly redis?: { readonly isUp: boolean; readonly outages: number } | undefined;
}
