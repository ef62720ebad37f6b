import { z } from 'zod';
import { jsonObject, jsonValue, optional } from './fields.js';

const toolCallSchema = z
  .looseObject({
    name: z.string().min(1),
    parameters: jsonObject,
    id: optional(z.string()).meta({ description: 'Links observations to calls; `call_<n>` where missing.' }),
  })
  .meta({ id: 'ToolCall', description: "The action of an assistant's turn." });

const toolResultSchema = z
  .looseObject({
    success: z.boolean(),
    result: jsonValue.optional(),
    error: optional(z.string()),
    terminal: optional(z.boolean()).meta({
      description: 'The run cannot go on: this step asks for an answer.',
    }),
    denied: optional(z.boolean()).meta({ description: 'A human refused the call.' }),
  })
  .meta({ id: 'ToolResult', description: 'How the call of an observation ended.' });

/**
 * One entry of the history (rule: unknown-fields). Unknown fields are kept. One flat object for all
 * roles: generated clients cannot read unions.
 */
export const turnSchema = z
  .looseObject({
    role: z.enum(['user', 'assistant', 'tool_observation']),
    content: z.string(),
    timestamp: optional(z.string()).meta({
      description: 'ISO 8601; kept as sent, never shown to the model.',
    }),
    kind: optional(z.enum(['notice', 'summary'])).meta({
      description: 'User turns that are not the task: a correction, or a summary of older turns.',
    }),
    toolCall: optional(toolCallSchema).meta({
      description: 'Assistant turns: the action; `content` is the thought.',
    }),
    thought: optional(z.string()).meta({
      description: 'Assistant turns that answer: what the model wrote before its answer.',
    }),
    phase: optional(z.enum(['reason', 'act', 'observe'])),
    provider_state: jsonValue
      .optional()
      .meta({ description: 'Opaque; echoed to the provider that made it (signed reasoning blocks).' }),
    toolCallId: optional(z.string()).meta({ description: 'Observations: the call they belong to.' }),
    toolResult: optional(toolResultSchema),
  })
  .meta({ id: 'Turn', description: 'One entry of the conversation history, oldest first.' });

/** One entry of a history as the service answers it. */
export type Turn = z.output<typeof turnSchema>;
/** One entry of a history as a caller may write it: optional fields may be null or left out. */
export type TurnInput = z.input<typeof turnSchema>;
/** The action of an assistant's turn. */
export type ToolCall = z.output<typeof toolCallSchema>;
/** How the call of an observation ended. */
export type ToolResult = z.output<typeof toolResultSchema>;
