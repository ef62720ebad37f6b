import { z } from 'zod';

export type { Protocol } from './wire-types.js';

export const protocolSchema = z
  .enum(['text', 'xml', 'json', 'native', 'auto'])
  .meta({ id: 'Protocol', description: 'The form in which the model is taught to write actions.' });
