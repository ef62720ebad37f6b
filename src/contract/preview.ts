import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { warningSchema } from './step.js';
import { toolDefinitionSchema } from './tool.js';

export type { Preview } from './wire-types.js';

/** The prompt that a step would send, computed without a model call and without a key. */
export const previewSchema = z
  .object({
    system: z.string().meta({ description: 'The system text of the prompt.' }),
    messages: z
      .array(
        z
          .object({
            role: z.enum(['user', 'assistant']).meta({ description: 'Author of the message.' }),
            content: z.string().meta({ description: 'Text of the message.' }),
          })
          .meta({ id: 'PreviewMessage', description: 'A message of the prompt.' }),
      )
      .meta({ description: 'The messages of the prompt, in order.' }),
    native_tools: z.array(toolDefinitionSchema).meta({
      description: "The tools in the provider's own format; empty if the prompt itself describes the tools.",
    }),
    prompt_sha256: z.string().meta({ description: 'SHA-256 of the whole prompt.' }),
    context_report: contextReportSchema,
    warnings: z.array(warningSchema).meta({ description: 'Problems that do not stop the step.' }),
    request_id: z.string().meta({ description: 'Id of the request in the logs of the service.' }),
  })
  .meta({ id: 'Preview', description: 'The prompt that a step would send.' });
