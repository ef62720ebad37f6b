import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { actionDetailsSchema, errorResponseSchema, stepSchema } from './step.js';

const delta = z.string();

/**
 * What a streamed step sends, in this order (rule: stream-events): `step.completed` or `error` ends it
 * (rule: one-end). The report is null where the request asked for none.
 */
export const streamEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('step.started'), request_id: z.string() }),
  z.object({ type: z.literal('context.built'), report: contextReportSchema.nullable() }),
  z.object({ type: z.literal('reasoning.delta'), delta }),
  z.object({ type: z.literal('draft.delta'), delta }),
  z.object({ type: z.literal('thought.delta'), delta }),
  z.object({ type: z.literal('answer.delta'), delta }),
  z.object({ type: z.literal('action.proposed'), action: actionDetailsSchema }),
  z.object({ type: z.literal('step.completed'), step: stepSchema }),
  z.object({ type: z.literal('error'), error: errorResponseSchema }),
]);

/** The same events as one flat object with the fields of all: generated clients cannot read unions. */
export const flatStreamEventSchema = z
  .object({
    type: z.enum(streamEventSchema.options.flatMap(({ shape }) => shape.type.value)),
    ...fieldsOfAll(),
  })
  .meta({
    id: 'StreamEvent',
    description: 'The JSON of one `data` line of a streamed step; `type` says which field comes with it.',
  });

/** One event of a streamed step; `type` says which. */
export type StreamEvent = z.output<typeof streamEventSchema>;

function fieldsOfAll(): Record<string, z.ZodType> {
  const fields = streamEventSchema.options.flatMap(({ shape }) => Object.entries<z.ZodType>(shape));
  return Object.fromEntries(
    fields.filter(([name]) => name !== 'type').map(([name, schema]) => [name, schema.optional()]),
  );
}
