import { z } from 'zod';

/** A count of tokens; unreadable ones are absent. */
export const count = z.int32().nonnegative().nullish().catch(null);

/** The price of a call as the vendor reports it, in the vendor's currency. */
export const cost = z.number().nonnegative().nullish().catch(null);
