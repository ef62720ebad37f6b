import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { errorCodes } from './error-codes.js';
import { jsonObject, jsonValue, wholeNumber } from './fields.js';
import { turnSchema } from './history.js';

export const actionDetailsSchema = z
  .object({
    tool_name: z.string(),
    tool_args: jsonObject,
    raw_action_string: z.string().meta({ description: '`Action: ` and the call in the words of the model.' }),
    id: z.string(),
    requires_approval: z.boolean(),
  })
  .meta({
    id: 'ActionDetails',
    description: 'The tool call that the model proposes. The caller decides whether to run it, and runs it.',
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
    dialect: z
      .enum([
        'call',
        'action_input',
        'json',
        'tag',
        'bracket',
        'bare',
        'native',
        'json_block',
        'json_list',
        'name_json',
        'function_tag',
        'invoke',
        'arg_pairs',
        'element',
        'python',
        'gemma',
        'xtml',
      ])
      .nullable()
      .meta({ description: 'The syntax in which the action was written; more values may be added.' }),
    confidence: z.enum(['exact', 'repaired', 'constrained']).meta({
      description:
        '`constrained`: the provider enforced the schema of the offered tools. `repaired`: the parser fixed or assumed something; see `repairs`.',
    }),
    repairs: z.array(z.string()),
    discarded: z.array(
      z
        .object({ kind: z.string(), chars: wholeNumber })
        .meta({ id: 'Discarded', description: 'Text of the reply that the parser ignored.' }),
    ),
    problem: z.string().nullable().meta({
      description:
        'The problem of an action that could not be read, or of an answer that does not fit `answer_schema`, in words for the model.',
    }),
  })
  .meta({ id: 'Parse', description: 'How the parser read the reply.' });

const phaseControlSchema = z
  .object({
    plan: z.string().nullable(),
    tools_to_consider: z.array(z.string()).nullable(),
    finish: z.boolean().nullable(),
    observation: z.string().nullable(),
    should_continue: z.boolean().nullable(),
    final_answer: z.string().nullable(),
  })
  .meta({
    id: 'PhaseControl',
    description:
      'The control block at the end of a reply in a phase. Fields that belong to other phases are null.',
  });

const signalsSchema = z
  .object({
    repeated_action: wholeNumber,
    repeated_cycle: wholeNumber,
    consecutive_read_only: wholeNumber,
    consecutive_errors: wholeNumber,
    last_iteration: z.boolean(),
    should_compact: z.boolean(),
  })
  .meta({
    id: 'Signals',
    description:
      'Counts and flags about the run, such as repeated calls, computed only from the request and the reply.',
  });

export const usageSchema = z
  .object({
    input_tokens: wholeNumber.nullable(),
    output_tokens: wholeNumber.nullable(),
    cached_input_tokens: wholeNumber.nullable(),
    cache_write_tokens: wholeNumber.nullable(),
    reasoning_tokens: wholeNumber.nullable(),
    cost: z.number().nullable().meta({
      description: "The provider's own price of the call, in its currency (OpenRouter: US dollars).",
    }),
  })
  .meta({ id: 'Usage', description: "The provider's own counts; null if it reports none." });

export const warningSchema = z
  .object({ code: z.string(), message: z.string() })
  .meta({ id: 'StepWarning', description: 'A problem that did not stop the step.' });

const errorDetailSchema = z
  .object({
    path: z.string().optional().meta({ description: 'Path of the field; empty for the whole body.' }),
    code: z.string().optional(),
    message: z.string(),
    source: z
      .string()
      .optional()
      .meta({ description: '`provider` if the message comes from the provider; absent otherwise.' }),
  })
  .meta({ id: 'ErrorDetail', description: 'One problem and its place in the request.' });

const stepErrorSchema = z
  .object({
    // The type is an open string, because a newer service may add codes. The OpenAPI document lists today's codes.
    code: z.string().meta({ enum: Object.keys(errorCodes) }),
    message: z.string().meta({ description: 'A fixed text for this code.' }),
    retryable: z.boolean(),
    provider: z.string().nullable(),
    upstream_status: wholeNumber.nullable(),
    retry_after_ms: wholeNumber.nullable(),
    details: z.array(errorDetailSchema),
    partial_text: z
      .string()
      .nullable()
      .meta({ description: 'The incomplete reply, if the model made one that is billed.' }),
  })
  .meta({ id: 'StepError', description: 'The reason why a step failed.' });

/** The response to one step. */
export const stepSchema = z
  .object({
    session_id: z.string(),
    status: z.enum(['action_proposed', 'direct_response_provided', 'phase_completed', 'error']).meta({
      description:
        'An action that cannot be read is also `direct_response_provided`, with a warning `unreadable_action` and, unless the step required an answer, a `correction`.',
    }),
    iterations_remaining: wholeNumber,
    thought: z.string().nullable(),
    direct_response: z.string().nullable().meta({
      description: 'The answer, or the text of an action that could not be read; see `correction`.',
    }),
    answer: jsonValue.optional().meta({
      description:
        'With `answer_schema`: the answer as JSON, checked against the schema. Null if it does not fit; `parse.problem` then says why.',
    }),
    action_details: actionDetailsSchema.nullable(),
    additional_actions: z.array(actionDetailsSchema),
    updated_conversation_history: z.array(turnSchema).nullable().meta({
      description: 'The history for the next step; null if it was not requested or the request was not read.',
    }),
    new_turns: z.array(turnSchema).meta({ description: 'The turns that this step added.' }),
    correction: turnSchema.nullable().meta({
      description:
        'A turn to append before the next step, at most twice in a row: the model probably intended an action, which could not be read (null at the last iteration), or its answer does not fit `answer_schema`.',
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
    reasoning: z
      .string()
      .nullable()
      .meta({ description: "The model's reasoning, if the provider returns it; never the thought." }),
    completion_text: z
      .string()
      .nullable()
      .meta({ description: "The model's original text; only with `include.completion_text`." }),
    warnings: z.array(warningSchema).meta({
      description:
        'Deviations from the request, and other problems. `unreadable_action`: `direct_response` is an action that could not be read.',
    }),
    error: stepErrorSchema.nullable(),
    request_id: z.string(),
  })
  .meta({ id: 'Step', description: 'The answer to one step.' });

/**
 * The body of every failure (rule: one-failure-body). If the service could not read a field of the request, the
 * field is null here, never empty.
 */
export const errorResponseSchema = stepSchema
  .extend({
    status: z.literal('error'),
    session_id: z.string().nullable(),
    iterations_remaining: wholeNumber.nullable(),
    error: stepErrorSchema,
  })
  .meta({ id: 'ErrorResponse', description: 'The body of every failure.' });

/** The response to one step. */
export type Step = z.output<typeof stepSchema>;
/** The body of every failure. Fields of the request that the service could not read are null. */
export type ErrorResponse = z.output<typeof errorResponseSchema>;
/** The reason why a step failed: a code of the error table, a fixed text, and whether the same request may succeed later. */
export type StepError = z.output<typeof stepErrorSchema>;
/** One problem of a request, and the place where it is. */
export type ErrorDetail = StepError['details'][number];
/** The tool call that the model proposes. */
export type ActionDetails = z.output<typeof actionDetailsSchema>;
/** Report on how the parser read the model's reply. */
export type Parse = z.output<typeof parseSchema>;
/** Counts of repetitions, reads and errors, computed from the request and the reply. */
export type Signals = z.output<typeof signalsSchema>;
/** The provider's token counts; null if it reports none. */
export type Usage = z.output<typeof usageSchema>;
/** A problem that did not stop the step. */
export type Warning = z.output<typeof warningSchema>;
/** The control values that end the reply of a phase. */
export type PhaseControl = z.output<typeof phaseControlSchema>;
/** The reason why the model stopped, with the same values for all providers. */
export type FinishReason = NonNullable<Step['finish_reason']>;
