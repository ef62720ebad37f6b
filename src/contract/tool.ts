import { z } from 'zod';
import { jsonObject, optional } from './fields.js';

export type { ToolDefinition, ToolDefinitionInput } from './wire-types.js';

const toolAnnotationsSchema = z
  .object({
    readOnlyHint: optional(z.boolean()).meta({ description: 'The tool changes nothing.' }),
    requiresApproval: optional(z.boolean()).meta({ description: 'A person must approve each call.' }),
  })
  .meta({ id: 'ToolAnnotations', description: 'Statements of the caller about the effects of a tool.' });

/** Returns whether a name can be written in every format in which the model may call a tool. */
function isToolName(name: string): boolean {
  return !/[\s\p{Cc}<>(){}[\]"'`,]/u.test(name);
}

/** A tool that the caller offers, in the form of the Model Context Protocol. */
export const toolDefinitionSchema = z
  .object({
    name: z
      .string()
      .min(1)
      .max(128)
      .refine(isToolName, 'the name of a tool must not contain white space, quotes or brackets')
      .meta({ description: 'The name of the tool, without white space, quotes and brackets.' }),
    description: optional(z.string()).meta({
      description: 'Tells the model what the tool does and when to use it.',
    }),
    inputSchema: jsonObject.meta({
      description:
        'JSON Schema of the arguments. Positional arguments get the names in `required`, in that order, then the other names in the order of `properties`.',
    }),
    annotations: optional(toolAnnotationsSchema),
    defer: optional(z.boolean()).meta({
      description:
        'True keeps the schema out of the prompt until the model has found the tool with `find_tools`, which the service then offers. A tool of your own named `find_tools` is then 400 with the detail `reserved_name`.',
    }),
  })
  .meta({ id: 'ToolDefinition', description: 'A tool that the caller offers, in the form of MCP.' });
