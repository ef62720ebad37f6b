import { z } from 'zod';
import { attachmentsSchema } from './attachment.js';
import { jsonObject, jsonValue, list, optional } from './fields.js';

export type { ToolCall, ToolResult, Turn, TurnInput } from './wire-types.js';

const toolCallSchema = z
  .looseObject({
    name: z.string().min(1).meta({ description: 'Name of the tool.' }),
    parameters: jsonObject.meta({ description: 'The arguments by name.' }),
    id: optional(z.string()).meta({
      description: 'Links observations to their calls. A missing id becomes `call_<n>`.',
    }),
  })
  .meta({ id: 'ToolCall', description: 'The tool call of an assistant turn.' });

const toolResultSchema = z
  .looseObject({
    success: z.boolean().meta({ description: 'False if the call failed, was denied, or did not run.' }),
    result: jsonValue
      .optional()
      .meta({ description: 'The result as data, for the caller; the model reads `content`.' }),
    error: optional(z.string()).meta({ description: 'The failure in words, for the caller.' }),
    terminal: optional(z.boolean()).meta({
      description: 'True if no further action can help: the next step then requires an answer.',
    }),
    denied: optional(z.boolean()).meta({ description: 'A person refused the call.' }),
  })
  .meta({ id: 'ToolResult', description: 'The outcome of the call that an observation belongs to.' });

/** Maximum number of tools that one observation of `find_tools` can name: as many as a request can offer. */
const MAX_FOUND_TOOLS = 1_000;

const foundToolSchema = z
  .looseObject({ name: z.string().meta({ description: 'Name of the tool.' }) })
  .meta({ id: 'FoundTool', description: 'A tool that `find_tools` found. Only its name counts.' });

/**
 * An entry of the history. Unknown fields are kept (rule: unknown-fields). All roles share one flat object,
 * because generated clients cannot read unions.
 */
export const turnSchema = z
  .looseObject({
    role: z.enum(['user', 'assistant', 'tool_observation']).meta({ description: 'Author of the turn.' }),
    content: z.string().meta({ description: 'The text: a task, a thought, an answer or an observation.' }),
    timestamp: optional(z.string()).meta({
      description: 'ISO 8601. Kept unchanged and never part of the prompt.',
    }),
    kind: optional(z.enum(['notice', 'summary'])).meta({
      description:
        'Marks user turns that are not the task: a correction (`notice`), or a summary of older turns.',
    }),
    toolCall: optional(toolCallSchema).meta({
      description: 'The action of an assistant turn; `content` is then the thought.',
    }),
    thought: optional(z.string()).meta({
      description: 'The thought before the answer, in an assistant turn that answers.',
    }),
    phase: optional(z.enum(['reason', 'act', 'observe'])).meta({
      description: 'The phase that added the turn, in the strict three-phase mode.',
    }),
    provider_state: jsonValue.optional().meta({
      description:
        'Opaque data of a provider, such as signed reasoning, which the service sends back to that provider. Send it back unchanged: some providers reject the next step without it.',
    }),
    toolCallId: optional(z.string()).meta({
      description: 'The id of the call that an observation belongs to.',
    }),
    toolResult: optional(toolResultSchema),
    attachments: optional(attachmentsSchema).meta({
      description:
        'Images and PDF files of a user turn or an observation, cut before any text if the budget is short.',
    }),
    tool_definitions: optional(list(foundToolSchema, MAX_FOUND_TOOLS)).meta({
      description:
        'In an observation of `find_tools`: the deferred tools of this request that can be called from now on. Their schemas are those in `tools`; other names are ignored with the warning `tool_not_offered`.',
    }),
  })
  .meta({ id: 'Turn', description: 'An entry of the conversation history.' });
