import { z } from 'zod';

export type { Health, Version } from './wire-types.js';

/** The response of `/healthz` and `/readyz` if the service is healthy (rule: health). */
export const healthSchema = z
  .object({ status: z.string().meta({ description: 'Always `ok`.' }) })
  .meta({ id: 'Health', description: 'The state of a healthy service.' });

/** The response of `/version`. */
export const versionSchema = z
  .object({
    name: z.string().meta({ description: 'Name of the service.' }),
    version: z.string().meta({ description: 'Version of the service.' }),
  })
  .meta({ id: 'ServiceVersion', description: 'Name and version of the running service.' });
