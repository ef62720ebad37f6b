import { z } from 'zod';

/** The response of `/healthz` and `/readyz` if the service is healthy (rule: health). */
export const healthSchema = z
  .object({ status: z.string().meta({ description: 'Always `ok`.' }) })
  .meta({ id: 'Health', description: 'The state of a healthy service.' });

/** The response of `/version`. */
export const versionSchema = z
  .object({ name: z.string(), version: z.string() })
  .meta({ id: 'ServiceVersion', description: 'Name and version of the running service.' });

export type Health = z.output<typeof healthSchema>;
export type Version = z.output<typeof versionSchema>;
