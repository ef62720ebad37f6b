import { z } from 'zod';
import { turnSchema } from './history.js';
import { actionDetailsSchema, stepSchema } from './step.js';

export type { SourceStep } from './wire-types.js';

const { error } = stepSchema.shape;

const sourceActionSchema = actionDetailsSchema
  .pick({ tool_name: true, tool_args: true, raw_action_string: true })
  .meta({ id: 'SourceActionDetails', description: 'The tool call that the model proposes.' });

/**
 * The response to a step with `include.extensions: false` (rule: source-fields). It has exactly the fields of the
 * format that this service extends, for clients whose schemas allow no others.
 */
export const sourceStepSchema = z
  .object({
    session_id: z.string().nullable().meta({ description: 'The `session_id` of the request.' }),
    thought: z.string().nullable().meta({ description: 'The thought of the model; null if it wrote none.' }),
    action_details: sourceActionSchema.nullable(),
    direct_response: z
      .string()
      .nullable()
      .meta({ description: 'The answer, or the text of an action that could not be read.' }),
    updated_conversation_history: z.array(turnSchema).nullable().meta({
      description:
        'The turns as sent, then those of this step, which have `role`, `content`, `timestamp` and `toolCall` with `name` and `parameters` only.',
    }),
    iterations_remaining: z
      .int32()
      .nullable()
      .meta({ description: 'Iterations that are left after this step.' }),
    status: z
      .enum(['action_proposed', 'direct_response_provided', 'error'])
      .meta({ description: 'The outcome: an action, an answer or an error.' }),
    error: error.unwrap().optional(),
  })
  .meta({
    id: 'SourceStep',
    description:
      'The answer to a step with `include.extensions: false`, and its failures once the body was read. It has no other fields; `error` is present if the status is `error`.',
  });
