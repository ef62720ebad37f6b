import { z } from 'zod';

/** The answer of `/healthz` and `/readyz` while all is well (rule: health). */
export const healthSchema = z
  .object({ status: z.string().meta({ description: 'Always `ok`.' }) })
  .meta({ id: 'Health', description: 'That all is well.' });

/** The answer of `/version`. */
export const versionSchema = z
  .object({ name: z.string(), version: z.string() })
  .meta({ id: 'ServiceVersion', description: 'The running service.' });

export type Health = z.output<typeof healthSchema>;
export type Version = z.output<typeof versionSchema>;
