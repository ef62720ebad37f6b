import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { actionDetailsSchema, errorResponseSchema, stepSchema } from './step.js';

export type { StreamEvent } from './wire-types.js';

const delta = z.string().meta({ description: 'The text to append.' });

const typed = <Type extends string>(type: Type) =>
  z.literal(type).meta({ description: 'Kind of the event.' });

/**
 * The events of a streamed step, in their order (rule: stream-events). `step.completed` or `error` is the last one
 * (rule: one-end). The report is null if the request asked for none.
 */
export const streamEventSchema = z
  .discriminatedUnion('type', [
    z
      .object({
        type: typed('step.started'),
        request_id: z.string().meta({ description: 'Id of the request in the logs of the service.' }),
      })
      .meta({ id: 'StepStartedEvent', description: 'The step has begun.' }),
    z
      .object({
        type: typed('context.built'),
        report: contextReportSchema.nullable().meta({ description: 'Null if the request asked for none.' }),
      })
      .meta({ id: 'ContextBuiltEvent', description: 'The prompt is complete; the model is called next.' }),
    z
      .object({ type: typed('reasoning.delta'), delta })
      .meta({ id: 'ReasoningDeltaEvent', description: "Text of the model's own reasoning." }),
    z
      .object({ type: typed('draft.delta'), delta })
      .meta({ id: 'DraftDeltaEvent', description: 'Text that may become thought or answer.' }),
    z
      .object({ type: typed('thought.delta'), delta })
      .meta({ id: 'ThoughtDeltaEvent', description: 'Text of the thought.' }),
    z
      .object({ type: typed('answer.delta'), delta })
      .meta({ id: 'AnswerDeltaEvent', description: 'Text of the answer.' }),
    z
      .object({ type: typed('action.proposed'), action: actionDetailsSchema })
      .meta({ id: 'ActionProposedEvent', description: 'The model proposes a tool call.' }),
    z
      .object({ type: typed('step.completed'), step: stepSchema })
      .meta({ id: 'StepCompletedEvent', description: 'The last event: the whole answer to the step.' }),
    z
      .object({ type: typed('error'), error: errorResponseSchema })
      .meta({ id: 'StreamErrorEvent', description: 'The last event of a step that failed.' }),
  ])
  .meta({ description: 'An event of a streamed step, distinguished by `type`.' });

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

function fieldsOfAll(): Record<string, z.ZodType> {
  const fields = streamEventSchema.options.flatMap(({ shape }) => Object.entries<z.ZodType>(shape));
  return Object.fromEntries(
    fields.filter(([name]) => name !== 'type').map(([name, schema]) => [name, schema.optional()]),
  );
}
