import { z } from 'zod';
import { list, wholeNumber } from './fields.js';
import { turnSchema } from './history.js';
import { usageSchema, warningSchema } from './step.js';
import { stepRequestSchema } from './step-request.js';

export type { Compaction, CompactionRequest, CompactionRequestInput } from './wire-types.js';

const { project_id, session_id, llm_config, user_api_keys } = stepRequestSchema.shape;

/** A request for a shorter history (rules: compaction-mask, compaction-summarize). */
export const compactionRequestSchema = z
  .object({
    project_id,
    session_id,
    conversation_history: list(turnSchema, 10_000).meta({
      description: 'The turns to shorten, oldest first.',
    }),
    target_tokens: wholeNumber
      .min(1)
      .meta({ description: 'Maximum size of the history in a prompt, in tokens.' }),
    strategy: z.enum(['mask', 'summarize']).meta({
      description: '`mask` is deterministic and needs no key; `summarize` makes one model call.',
    }),
    llm_config,
    user_api_keys,
  })
  .meta({ id: 'CompactionRequest', description: 'A request for a shorter history.' });

export const compactionSchema = z
  .object({
    conversation_history: z.array(turnSchema).meta({ description: 'The shorter history.' }),
    changed: z.boolean().meta({ description: 'False if nothing could be shortened.' }),
    tokens_before: wholeNumber.meta({ description: 'Size of the given history in a prompt, in tokens.' }),
    tokens_after: wholeNumber.meta({ description: 'Size of the returned history in a prompt, in tokens.' }),
    usage: usageSchema.nullable(),
    warnings: z.array(warningSchema).meta({ description: 'Problems that did not stop the compaction.' }),
    request_id: z.string().meta({ description: 'Id of the request in the logs of the service.' }),
  })
  .meta({ id: 'Compaction', description: 'A shorter history, which the next step can send.' });
