import { z } from 'zod';
import { wholeNumber } from './fields.js';

export type { ModelList } from './wire-types.js';

const modelSchema = z
  .object({
    name: z.string().meta({ description: 'A model name, or a pattern for a family of models.' }),
    provider: z.string().meta({ description: 'Name of the provider that serves the model.' }),
    context_window: wholeNumber
      .nullable()
      .meta({ description: 'Maximum tokens of prompt and reply together; null if unknown.' }),
    encoding: z.string().meta({ description: 'Name of the tokenizer that counts the prompts of the model.' }),
    counting: z.enum(['exact', 'estimated']).meta({
      description:
        '`exact` if the tokenizer of the model counts its prompts, `estimated` if a substitute does.',
    }),
    protocols: z.array(z.string()).meta({ description: 'The values of `protocol` that the model supports.' }),
  })
  .meta({
    id: 'KnownModel',
    description:
      'A model or a family of models in the table of the service, or a model that its operator configured.',
  });

const upstreamSchema = z
  .object({
    name: z.string().meta({ description: 'Name of the endpoint.' }),
    key_required: z.boolean().meta({ description: 'True if requests need a key.' }),
  })
  .meta({
    id: 'Upstream',
    description: 'A configured provider endpoint. Its name is a valid `llm_config.provider`.',
  });

/** The models and upstreams that a service offers (rule: named-upstreams). */
export const modelListSchema = z
  .object({
    models: z.array(modelSchema).meta({ description: 'The known models.' }),
    upstreams: z.array(upstreamSchema).meta({ description: 'The configured endpoints of providers.' }),
  })
  .meta({ id: 'ModelList', description: 'The models and upstreams of this service.' });
