import { z } from 'zod';

/** The answer of `/healthz` and `/readyz` of a healthy service (rule: health). */
export const healthSchema = z
  .object({ status: z.string().meta({ description: 'Always `ok`.' }) })
  .meta({ id: 'Health', description: 'The state of a healthy service.' });

/** The answer of `/version`. */
export const versionSchema = z
  .object({ name: z.string(), version: z.string() })
  .meta({ id: 'ServiceVersion', description: 'Name and version of the running service.' });

export type Health = z.output<typeof healthSchema>;
export type Version = z.output<typeof versionSchema>;
