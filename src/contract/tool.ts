import { z } from 'zod';
import { jsonObject, optional } from './fields.js';

const toolAnnotationsSchema = z
  .object({
    readOnlyHint: optional(z.boolean()).meta({ description: 'The tool changes nothing.' }),
    requiresApproval: optional(z.boolean()).meta({ description: 'The caller wants a human to agree first.' }),
  })
  .meta({ id: 'ToolAnnotations', description: 'What the caller says of a tool.' });

/** A name that can stand in any of the forms in which a call is written. */
function isToolName(name: string): boolean {
  return !/[\s\p{Cc}<>(){}[\]"'`,]/u.test(name);
}

/** A tool the caller offers, in the shape of the Model Context Protocol. */
export const toolDefinitionSchema = z
  .object({
    name: z
      .string()
      .min(1)
      .max(128)
      .refine(isToolName, 'white space, quotes and brackets cannot stand in the name of a tool')
      .meta({ description: 'Without white space, quotes and brackets.' }),
    description: optional(z.string()),
    inputSchema: jsonObject.meta({
      description:
        'JSON Schema of the arguments; positional arguments are named in the order of `required`, then the rest by name.',
    }),
    annotations: optional(toolAnnotationsSchema),
  })
  .meta({ id: 'ToolDefinition', description: 'A tool the caller offers (the shape of MCP).' });

/** A tool the caller offers, in the shape of the Model Context Protocol. */
export type ToolDefinition = z.output<typeof toolDefinitionSchema>;
/** A tool as a caller may write it: optional fields may be null or left out. */
export type ToolDefinitionInput = z.input<typeof toolDefinitionSchema>;
