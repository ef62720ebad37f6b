import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { actionDetailsSchema, errorResponseSchema, stepSchema } from './step.js';

const delta = z.string();

/**
 * The events of a streamed step, in their order (rule: stream-events). `step.completed` or `error` is the last one
 * (rule: one-end). The report is null if the request asked for none.
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

/**
 * All events of a stream as one flat object that has the fields of each of them, because generated clients cannot
 * read unions.
 */
export const flatStreamEventSchema = z
  .object({
    type: z.enum(streamEventSchema.options.flatMap(({ shape }) => shape.type.value)),
    ...fieldsOfAll(),
  })
  .meta({
    id: 'StreamEvent',
    description:
      'The JSON of one `data` line of a streamed step. `type` determines which other field is present.',
  });

/** One event of a streamed step, distinguished by `type`. */
export type StreamEvent = z.output<typeof streamEventSchema>;

function fieldsOfAll(): Record<string, z.ZodType> {
  const fields = streamEventSchema.options.flatMap(({ shape }) => Object.entries<z.ZodType>(shape));
  return Object.fromEntries(
    fields.filter(([name]) => name !== 'type').map(([name, schema]) => [name, schema.optional()]),
  );
}
