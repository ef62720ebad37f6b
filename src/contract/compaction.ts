import { z } from 'zod';
import { list, wholeNumber } from './fields.js';
import { turnSchema } from './history.js';
import { usageSchema, warningSchema } from './step.js';
import { stepRequestSchema } from './step-request.js';

const { project_id, session_id, llm_config, user_api_keys } = stepRequestSchema.shape;

/** A request for a shorter history (rules: compaction-mask, compaction-summarize). */
export const compactionRequestSchema = z
  .object({
    project_id,
    session_id,
    conversation_history: list(turnSchema, 10_000),
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
    conversation_history: z.array(turnSchema),
    changed: z.boolean(),
    tokens_before: wholeNumber,
    tokens_after: wholeNumber,
    usage: usageSchema.nullable(),
    warnings: z.array(warningSchema),
    request_id: z.string(),
  })
  .meta({ id: 'Compaction', description: 'A shorter history, which the next step can send.' });

/** A validated request for a compaction. */
export type CompactionRequest = z.output<typeof compactionRequestSchema>;
/** A request for a compaction as callers write it: optional fields may be null or absent. */
export type CompactionRequestInput = z.input<typeof compactionRequestSchema>;
/** The response to a compaction, with a shorter history that the next step can send. */
export type Compaction = z.output<typeof compactionSchema>;
