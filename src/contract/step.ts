import { z } from 'zod';
import { contextReportSchema } from './context-report.js';
import { errorCodes } from './error-codes.js';
import { jsonObject, jsonValue, wholeNumber } from './fields.js';
import { turnSchema } from './history.js';

export type {
  ActionDetails,
  ErrorDetail,
  ErrorResponse,
  FinishReason,
  Parse,
  PhaseControl,
  Signals,
  Step,
  StepError,
  Usage,
  Warning,
} from './wire-types.js';

export const actionDetailsSchema = z
  .object({
    tool_name: z.string().meta({ description: 'Name of the tool.' }),
    tool_args: jsonObject.meta({ description: 'The arguments by name.' }),
    raw_action_string: z.string().meta({ description: '`Action: ` and the call in the words of the model.' }),
    id: z.string().meta({ description: 'Id of the call, unique in the history; the observation names it.' }),
    requires_approval: z
      .boolean()
      .meta({ description: 'True if the tool is annotated with `requiresApproval`.' }),
  })
  .meta({
    id: 'ActionDetails',
    description: 'The tool call that the model proposes. The caller decides whether to run it, and runs it.',
  });

const parseSchema = z
  .object({
    outcome: z
      .enum([
        'answer',
        'action',
        'malformed_action',
        'unknown_tool',
        'action_after_limit',
        'truncated',
        'refusal',
        'empty',
      ])
      .meta({ description: 'The result of reading the reply.' }),
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
    repairs: z
      .array(z.string())
      .meta({ description: 'Names of the repairs and assumptions of the parser, such as `coerced:id`.' }),
    discarded: z
      .array(
        z
          .object({
            kind: z.string().meta({ description: 'Kind of the ignored text.' }),
            chars: wholeNumber.meta({ description: 'Length of the ignored text in characters.' }),
          })
          .meta({ id: 'Discarded', description: 'Text of the reply that the parser ignored.' }),
      )
      .meta({ description: 'Parts of the reply that the parser ignored.' }),
    problem: z.string().nullable().meta({
      description:
        'The problem of an action that could not be read, or of an answer that does not fit `answer_schema`, in words for the model.',
    }),
  })
  .meta({ id: 'Parse', description: 'How the parser read the reply.' });

const phaseControlSchema = z
  .object({
    plan: z.string().nullable().meta({ description: 'Phase `reason`: the plan.' }),
    tools_to_consider: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Phase `reason`: names of tools that may help.' }),
    finish: z.boolean().nullable().meta({ description: 'Phase `reason`: true if no action is needed.' }),
    observation: z.string().nullable().meta({ description: 'Phase `observe`: what the action showed.' }),
    should_continue: z
      .boolean()
      .nullable()
      .meta({ description: 'Phase `observe`: whether a further round is needed.' }),
    final_answer: z
      .string()
      .nullable()
      .meta({ description: 'Phase `observe`: the answer, if no further round is needed.' }),
  })
  .meta({
    id: 'PhaseControl',
    description:
      'The control block at the end of a reply in a phase. Fields that belong to other phases are null.',
  });

const signalsSchema = z
  .object({
    repeated_action: wholeNumber.meta({
      description: 'Consecutive calls of the same tool with the same arguments, from 2; else 0.',
    }),
    repeated_cycle: wholeNumber.meta({
      description:
        'Number of times in a row that the latest two or three calls were made in this order; 0 if once, or if they are all the same call.',
    }),
    consecutive_read_only: wholeNumber.meta({ description: 'Consecutive calls that only read.' }),
    consecutive_errors: wholeNumber.meta({ description: 'Consecutive calls that failed.' }),
    last_iteration: z.boolean().meta({ description: 'True if this was the last iteration.' }),
    should_compact: z
      .boolean()
      .meta({ description: 'True if the history uses at least 80 % of its share of the budget.' }),
  })
  .meta({
    id: 'Signals',
    description:
      'Counts and flags about the run, such as repeated calls, computed only from the request and the reply.',
  });

export const usageSchema = z
  .object({
    input_tokens: wholeNumber.nullable().meta({ description: 'Tokens of the prompt, cached ones included.' }),
    output_tokens: wholeNumber.nullable().meta({ description: 'Tokens of the reply, reasoning included.' }),
    cached_input_tokens: wholeNumber
      .nullable()
      .meta({ description: 'Tokens of the prompt that were read from the cache of the provider.' }),
    cache_write_tokens: wholeNumber
      .nullable()
      .meta({ description: 'Tokens of the prompt that were written to the cache of the provider.' }),
    reasoning_tokens: wholeNumber
      .nullable()
      .meta({ description: 'Tokens of the reply that the model spent on reasoning.' }),
    cost: z.number().nullable().meta({
      description: "The provider's own price of the call, in its currency (OpenRouter: US dollars).",
    }),
  })
  .meta({ id: 'Usage', description: "The provider's own counts; null if it reports none." });

export const warningSchema = z
  .object({
    code: z.string().meta({ description: 'Code of the problem.' }),
    message: z.string().meta({ description: 'The problem in words.' }),
  })
  .meta({ id: 'StepWarning', description: 'A problem that did not stop the step.' });

const errorDetailSchema = z
  .object({
    path: z.string().optional().meta({ description: 'Path of the field; empty for the whole body.' }),
    code: z.string().optional().meta({ description: 'Code of the problem.' }),
    message: z.string().meta({ description: 'The problem in words.' }),
    source: z
      .string()
      .optional()
      .meta({ description: '`provider` if the message comes from the provider; absent otherwise.' }),
  })
  .meta({ id: 'ErrorDetail', description: 'One problem and its place in the request.' });

const stepErrorSchema = z
  .object({
    // The type is an open string, because a newer service may add codes. The OpenAPI document lists today's codes.
    code: z.string().meta({ enum: Object.keys(errorCodes), description: 'Code of the failure.' }),
    message: z.string().meta({ description: 'A fixed text for this code.' }),
    retryable: z.boolean().meta({ description: 'True if the same request may succeed later.' }),
    provider: z.string().nullable().meta({ description: 'Name of the provider that failed.' }),
    upstream_status: wholeNumber
      .nullable()
      .meta({ description: 'HTTP status of the answer of the provider.' }),
    retry_after_ms: wholeNumber.nullable().meta({
      description:
        'Milliseconds to wait before the next attempt, if the provider or the service names a time.',
    }),
    details: z.array(errorDetailSchema).meta({ description: 'Facts about the failure beyond its code.' }),
    partial_text: z
      .string()
      .nullable()
      .meta({ description: 'The incomplete reply, if the model made one that is billed.' }),
  })
  .meta({ id: 'StepError', description: 'The reason why a step failed.' });

/** The response to one step. */
export const stepSchema = z
  .object({
    session_id: z.string().meta({ description: 'The `session_id` of the request.' }),
    status: z.enum(['action_proposed', 'direct_response_provided', 'phase_completed', 'error']).meta({
      description:
        'An action that cannot be read is also `direct_response_provided`, with a warning `unreadable_action` and, unless the step required an answer, a `correction`.',
    }),
    iterations_remaining: wholeNumber.meta({ description: 'Iterations that are left after this step.' }),
    thought: z.string().nullable().meta({ description: 'The thought of the model; null if it wrote none.' }),
    direct_response: z.string().nullable().meta({
      description: 'The answer, or the text of an action that could not be read; see `correction`.',
    }),
    answer: jsonValue.optional().meta({
      description:
        'With `answer_schema`: the answer as JSON, checked against the schema. Null if it does not fit; `parse.problem` then says why.',
    }),
    action_details: actionDetailsSchema.nullable(),
    additional_actions: z
      .array(actionDetailsSchema)
      .meta({ description: 'Further tool calls of the same reply, after `action_details`.' }),
    updated_conversation_history: z.array(turnSchema).nullable().meta({
      description: 'The history for the next step; null if it was not requested or the request was not read.',
    }),
    new_turns: z.array(turnSchema).meta({ description: 'The turns that this step added.' }),
    correction: turnSchema.nullable().meta({
      description:
        'A turn that asks the model to correct its reply: append it before the next step. Present if an intended action could not be read (but not at the last iteration) or if the answer does not fit `answer_schema`. The caller should stop after two corrections in a row.',
    }),
    control: phaseControlSchema.nullable(),
    phase: z
      .enum(['reason', 'act', 'observe'])
      .nullable()
      .meta({ description: 'The phase of the request, in the strict three-phase mode.' }),
    parse: parseSchema.nullable(),
    context_report: contextReportSchema.nullable(),
    signals: signalsSchema.nullable(),
    usage: usageSchema.nullable(),
    model: z.string().nullable().meta({ description: 'Name of the model that replied.' }),
    provider: z.string().nullable().meta({ description: 'Name of the provider that was called.' }),
    finish_reason: z
      .enum(['stop', 'length', 'tool', 'refusal', 'other'])
      .nullable()
      .meta({ description: 'Why the model stopped, with the same values for all providers.' }),
    finish_reason_raw: z
      .string()
      .nullable()
      .meta({ description: 'Why the model stopped, in the words of the provider.' }),
    reasoning: z
      .string()
      .nullable()
      .meta({ description: "The model's reasoning, if the provider returns it; never the thought." }),
    completion_text: z
      .string()
      .nullable()
      .meta({ description: "The model's original text; only with `include.completion_text`." }),
    recorded_step: jsonObject.nullable().meta({
      description:
        'The complete input and output of the step, without keys, to save and evaluate; only with `include.record`, and only if a model replied.',
    }),
    warnings: z.array(warningSchema).meta({
      description:
        'Deviations from the request, and other problems. `unreadable_action`: `direct_response` is an action that could not be read.',
    }),
    error: stepErrorSchema.nullable(),
    request_id: z.string().meta({ description: 'Id of the request in the logs of the service.' }),
  })
  .meta({ id: 'Step', description: 'The answer to one step.' });

/**
 * The body of every failure (rule: one-failure-body). If the service could not read a field of the request, the
 * field is null here, never empty.
 */
export const errorResponseSchema = stepSchema
  .extend({
    status: z.literal('error').meta({ description: 'Always `error`.' }),
    session_id: z
      .string()
      .nullable()
      .meta({ description: 'The `session_id` of the request; null if it was not read.' }),
    iterations_remaining: wholeNumber
      .nullable()
      .meta({ description: 'Iterations that are left; null if the request was not read.' }),
    error: stepErrorSchema,
  })
  .meta({ id: 'ErrorResponse', description: 'The body of every failure.' });
