import { z } from 'zod';

/** Schema of a token count. An unreadable count becomes null. */
export const count = z.int32().nonnegative().nullish().catch(null);

/** Schema of the price of a call in the currency of the vendor that reports it. */
export const cost = z.number().nonnegative().nullish().catch(null);
