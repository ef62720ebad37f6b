import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { errorCodes } from './error-codes.js';
import { jsonObject, wholeNumber } from './fields.js';
import { turnSchema } from './history.js';

export const actionDetailsSchema = z
  .object({
    tool_name: z.string(),
    tool_args: jsonObject,
    raw_action_string: z.string().meta({ description: '`Action: ` and the call as the model wrote it.' }),
    id: z.string(),
    requires_approval: z.boolean(),
  })
  .meta({
    id: 'ActionDetails',
    description: 'What the model wants to do next. The caller decides and runs it.',
  });

const parseSchema = z
  .object({
    outcome: z.enum([
      'answer',
      'action',
      'malformed_action',
      'unknown_tool',
      'action_after_limit',
      'truncated',
      'refusal',
      'empty',
    ]),
    dialect: z.enum(['call', 'action_input', 'json', 'tag', 'bracket', 'bare', 'native']).nullable(),
    confidence: z.enum(['exact', 'repaired', 'constrained']).meta({
      description:
        '`constrained`: the provider held the reply to the schema of the offered tools. `repaired`: something was mended or assumed; `repairs` says what.',
    }),
    repairs: z.array(z.string()),
    discarded: z.array(
      z
        .object({ kind: z.string(), chars: wholeNumber })
        .meta({ id: 'Discarded', description: 'Text of the reply that was not used.' }),
    ),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'What was wrong with an action, in words for the model.' }),
  })
  .meta({ id: 'Parse', description: 'How the reply was read.' });

const phaseControlSchema = z
  .object({
    plan: z.string().nullable(),
    tools_to_consider: z.array(z.string()).nullable(),
    finish: z.boolean().nullable(),
    observation: z.string().nullable(),
    should_continue: z.boolean().nullable(),
    final_answer: z.string().nullable(),
  })
  .meta({ id: 'PhaseControl', description: 'The block a phase ends with; fields of other phases are null.' });

const signalsSchema = z
  .object({
    repeated_action: wholeNumber,
    repeated_cycle: wholeNumber,
    consecutive_read_only: wholeNumber,
    consecutive_errors: wholeNumber,
    last_iteration: z.boolean(),
    should_compact: z.boolean(),
  })
  .meta({ id: 'Signals', description: 'Counted from the request and the reply alone.' });

export const usageSchema = z
  .object({
    input_tokens: wholeNumber.nullable(),
    output_tokens: wholeNumber.nullable(),
    cached_input_tokens: wholeNumber.nullable(),
    cache_write_tokens: wholeNumber.nullable(),
    reasoning_tokens: wholeNumber.nullable(),
  })
  .meta({ id: 'Usage', description: "The provider's own counts; null where it says nothing." });

export const warningSchema = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'StepWarning', description: 'Something that did not stop the step.' });

const errorDetailSchema = z
  .object({
    path: z.string().optional().meta({ description: 'The field it is about; empty for the whole body.' }),
    code: z.string().optional(),
    message: z.string(),
    source: z
      .string()
      .optional()
      .meta({ description: "`provider` where the message is the provider's own; else absent." }),
  })
  .meta({ id: 'ErrorDetail', description: 'One thing that was wrong, and where.' });

const stepErrorSchema = z
  .object({
    // A string in the types, since a newer service may have more of them; the document lists today's.
    code: z.string().meta({ enum: Object.keys(errorCodes) }),
    message: z.string().meta({ description: 'A fixed text.' }),
    retryable: z.boolean(),
    provider: z.string().nullable(),
    upstream_status: wholeNumber.nullable(),
    retry_after_ms: wholeNumber.nullable(),
    details: z.array(errorDetailSchema),
    partial_text: z
      .string()
      .nullable()
      .meta({ description: 'The reply so far, where it was made and billed.' }),
  })
  .meta({ id: 'StepError', description: 'Why a step failed.' });

/** The answer to one step. */
export const stepSchema = z
  .object({
    session_id: z.string(),
    status: z.enum(['action_proposed', 'direct_response_provided', 'phase_completed', 'error']).meta({
      description:
        'An action that cannot be read is `direct_response_provided` too: it has a warning `unreadable_action` and, unless an answer was ordered, a `correction`.',
    }),
    iterations_remaining: wholeNumber,
    thought: z.string().nullable(),
    direct_response: z.string().nullable().meta({
      description: 'The answer; or the text of an action that could not be read: see `correction`.',
    }),
    action_details: actionDetailsSchema.nullable(),
    additional_actions: z.array(actionDetailsSchema),
    updated_conversation_history: z
      .array(turnSchema)
      .nullable()
      .meta({ description: 'Can be sent straight back; null where it was not asked for or not read.' }),
    new_turns: z.array(turnSchema).meta({ description: 'Only what this step added.' }),
    correction: turnSchema.nullable().meta({
      description:
        'Append it and go on, twice in a row at most: the model meant to act, or seems to have, and the action could not be read. Null at the last iteration.',
    }),
    control: phaseControlSchema.nullable(),
    phase: z.enum(['reason', 'act', 'observe']).nullable(),
    parse: parseSchema.nullable(),
    context_report: contextReportSchema.nullable(),
    signals: signalsSchema.nullable(),
    usage: usageSchema.nullable(),
    model: z.string().nullable(),
    provider: z.string().nullable(),
    finish_reason: z.enum(['stop', 'length', 'tool', 'refusal', 'other']).nullable(),
    finish_reason_raw: z.string().nullable(),
    reasoning: z.string().nullable().meta({ description: "The model's own reasoning; never the thought." }),
    completion_text: z.string().nullable().meta({ description: 'Only with `include.completion_text`.' }),
    warnings: z.array(warningSchema).meta({
      description:
        'What was done otherwise than asked. `unreadable_action`: `direct_response` is no answer but an action that could not be read.',
    }),
    error: stepErrorSchema.nullable(),
    request_id: z.string(),
  })
  .meta({ id: 'Step', description: 'The answer to one step.' });

/** The one body of every failure (rule: one-failure-body): what was not read is null, never empty. */
export const errorResponseSchema = stepSchema
  .extend({
    status: z.literal('error'),
    session_id: z.string().nullable(),
    iterations_remaining: wholeNumber.nullable(),
    error: stepErrorSchema,
  })
  .meta({ id: 'ErrorResponse', description: 'The one body of every failure.' });

/** The answer to one step. */
export type Step = z.output<typeof stepSchema>;
/** The one body of every failure; what was not read of the request is null. */
export type ErrorResponse = z.output<typeof errorResponseSchema>;
/** Why a step failed: a code of the table of failures, a fixed text, and whether it may succeed later. */
export type StepError = z.output<typeof stepErrorSchema>;
/** One thing that was wrong, and where. */
export type ErrorDetail = StepError['details'][number];
/** What the model wants to do next. */
export type ActionDetails = z.output<typeof actionDetailsSchema>;
/** How the reply was read. */
export type Parse = z.output<typeof parseSchema>;
/** What is counted from the request and the reply: repetitions, reads, errors. */
export type Signals = z.output<typeof signalsSchema>;
/** The provider's counts of tokens; null where it says nothing. */
export type Usage = z.output<typeof usageSchema>;
/** Something that did not stop the step. */
export type Warning = z.output<typeof warningSchema>;
/** The block that a phase ends with. */
export type PhaseControl = z.output<typeof phaseControlSchema>;
/** Why the model stopped, in one vocabulary for all providers. */
export type FinishReason = NonNullable<Step['finish_reason']>;
