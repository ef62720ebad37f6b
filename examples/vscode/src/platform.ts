import type { Tool } from 'stepwise';
import type { MatchLines } from 'stepwise/tools/browser';

/** What the desktop can do and a browser cannot, or does in another way. */
export interface Platform {
  /** Runs a model's regular expressions where they can be given up. */
  readonly matchLines: MatchLines;
  /** The tools that run commands; none in a browser. */
  readonly commandTools: () => Promise<readonly Tool[]>;
  /** Starts the service in a terminal; undefined where there is none. */
  readonly startService: (() => void) | undefined;
}
