import { z } from 'zod';

export const protocolSchema = z
  .enum(['text', 'xml', 'json', 'native', 'auto'])
  .meta({ id: 'Protocol', description: 'The form in which the model is taught to write actions.' });

/** The form in which a model writes actions, as a request names it; with `auto`, the service chooses. */
export type Protocol = z.output<typeof protocolSchema>;
