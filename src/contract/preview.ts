import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { warningSchema } from './step.js';
import { toolDefinitionSchema } from './tool.js';

/** The prompt that a step would send, computed without a model call and without a key. */
export const previewSchema = z
  .object({
    system: z.string(),
    messages: z.array(
      z
        .object({ role: z.enum(['user', 'assistant']), content: z.string() })
        .meta({ id: 'PreviewMessage', description: 'A message of the prompt.' }),
    ),
    native_tools: z.array(toolDefinitionSchema).meta({
      description: "The tools in the provider's own format; empty if the prompt itself describes the tools.",
    }),
    prompt_sha256: z.string(),
    context_report: contextReportSchema,
    warnings: z.array(warningSchema),
    request_id: z.string(),
  })
  .meta({ id: 'Preview', description: 'The prompt that a step would send.' });

/** The prompt that a step would send, with its hash and the context report. */
export type Preview = z.output<typeof previewSchema>;
