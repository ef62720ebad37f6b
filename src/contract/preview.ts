import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { warningSchema } from './step.js';
import { toolDefinitionSchema } from './tool.js';

/** What a step would send: no model call, no key. */
export const previewSchema = z
  .object({
    system: z.string(),
    messages: z.array(
      z
        .object({ role: z.enum(['user', 'assistant']), content: z.string() })
        .meta({ id: 'PreviewMessage', description: 'A message as the model would read it.' }),
    ),
    native_tools: z.array(toolDefinitionSchema).meta({
      description:
        "Sent beside the prompt, as the provider's own tool definitions; empty where the prompt tells of tools.",
    }),
    prompt_sha256: z.string(),
    context_report: contextReportSchema,
    warnings: z.array(warningSchema),
    request_id: z.string(),
  })
  .meta({ id: 'Preview', description: 'What a step would send.' });

/** The prompt a step would send, its hash, and the context report. */
export type Preview = z.output<typeof previewSchema>;
