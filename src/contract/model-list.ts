import { z } from 'zod';
import { wholeNumber } from './fields.js';

const modelSchema = z
  .object({
    name: z.string().meta({ description: 'A model name, or the pattern of a family of names.' }),
    provider: z.string(),
    context_window: wholeNumber.nullable().meta({ description: 'Tokens of prompt and reply together.' }),
    encoding: z.string().meta({ description: 'The tokenizer its prompts are counted with.' }),
    counting: z.enum(['exact', 'estimated']),
    protocols: z.array(z.string()).meta({ description: 'What `protocol` may be.' }),
  })
  .meta({ id: 'KnownModel', description: 'A model this service knows, or a family of them.' });

const upstreamSchema = z.object({ name: z.string(), key_required: z.boolean() }).meta({
  id: 'Upstream',
  description: 'A configured endpoint; its name is a value of `llm_config.provider`.',
});

/** What this service can reach (rule: named-upstreams). */
export const modelListSchema = z
  .object({ models: z.array(modelSchema), upstreams: z.array(upstreamSchema) })
  .meta({ id: 'ModelList', description: 'The models and upstreams this service knows.' });

/** What a service can reach: models it knows, and upstreams with whether they need a key. */
export type ModelList = z.output<typeof modelListSchema>;
