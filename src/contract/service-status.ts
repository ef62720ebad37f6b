import { z } from 'zod';

export type { Health, Readiness, Version } from './wire-types.js';

/** The response of `/healthz` (rule: health). */
export const healthSchema = z
  .object({ status: z.string().meta({ description: 'Always `ok`.' }) })
  .meta({ id: 'Health', description: 'The state of a healthy service.' });

/** The response of `/readyz` if the service accepts requests (rule: health). */
export const readinessSchema = z
  .object({
    status: z.string().meta({ description: 'Always `ok`.' }),
    watch: z.string().meta({
      description:
        '`on` if the service keeps its last steps in memory and streams them to watchers, else `off`.',
    }),
  })
  .meta({ id: 'Readiness', description: 'The state of a service that accepts requests.' });

/** The response of `/version`. */
export const versionSchema = z
  .object({
    name: z.string().meta({ description: 'Name of the service.' }),
    version: z.string().meta({ description: 'Version of the service.' }),
  })
  .meta({ id: 'ServiceVersion', description: 'Name and version of the running service.' });
