import { z } from 'zod';

/** Schema of a token count. An unreadable count becomes null. */
export const count = z.int32().nonnegative().nullish().catch(null);

/** Schema of the price of a call in the currency of the vendor that reports it. */
export const cost = z.number().nonnegative().nullish().catch(null);

/** Adds a later report of the usage to an earlier one. A count that is null or 0 does not replace one that is known. */
export const laterUsage = <Usage extends object>(
  before: Partial<Usage> | null | undefined,
  after: Usage,
): Usage => ({
  ...before,
  ...(Object.fromEntries(
    Object.entries(after).filter(([name, value]) => value || before?.[name as keyof Usage] == null),
  ) as Usage), // Cast: the entries are those of `after`
});
