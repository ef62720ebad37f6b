import { z } from 'zod';
import { jsonObject, optional } from './fields.js';

const toolAnnotationsSchema = z
  .object({
    readOnlyHint: optional(z.boolean()).meta({ description: 'The tool changes nothing.' }),
    requiresApproval: optional(z.boolean()).meta({ description: 'The caller wants a human to agree first.' }),
  })
  .meta({ id: 'ToolAnnotations' });

/** A tool the caller offers, in the shape of the Model Context Protocol. */
export const toolDefinitionSchema = z
  .object({
    name: z
      .string()
      .regex(/^[\w.-]{1,128}$/, 'letters, digits, `_`, `.` and `-`, at most 128')
      .meta({ description: 'Letters, digits, `_`, `.` and `-`.' }),
    description: optional(z.string()),
    inputSchema: jsonObject.meta({
      description: 'JSON Schema of the arguments; the order of its properties names positional arguments.',
    }),
    annotations: optional(toolAnnotationsSchema),
  })
  .meta({ id: 'ToolDefinition', description: 'A tool the caller offers (the shape of MCP).' });

export type ToolDefinition = z.output<typeof toolDefinitionSchema>;
export type ToolDefinitionInput = z.input<typeof toolDefinitionSchema>;
