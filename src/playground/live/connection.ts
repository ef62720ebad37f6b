import type { WatchRefused } from './watch-stream.js';

/** The connection to the service's watch stream. */
export type Connection =
  | { readonly type: 'connecting' }
  | { readonly type: 'open' }
  /** The connection broke; the page connects again after `seconds`. */
  | { readonly type: 'cut'; readonly seconds: number }
  | { readonly type: 'refused'; readonly refusal: WatchRefused; readonly hadToken: boolean };
