import { z } from 'zod';

export const protocolSchema = z
  .enum(['text', 'xml', 'json', 'native', 'auto'])
  .meta({ id: 'Protocol', description: 'The form in which the model is taught to write actions.' });

/** A form of action that a request can name; `auto` lets the service choose. */
export type Protocol = z.output<typeof protocolSchema>;
