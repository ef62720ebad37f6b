import { z } from 'zod';

/**
 * Schemas of a response as Open Responses (2026-04-24) specifies it: every field is present, and null if it has no
 * value.
 */
const text = z.object({ type: z.literal('output_text'), text: z.string(), annotations: z.array(z.never()) });
const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });
const status = z.enum(['in_progress', 'completed', 'incomplete']);

const itemSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: z.string().min(1),
    role: z.literal('assistant'),
    status,
    content: z.array(z.union([text, refusal])),
  }),
  z.object({
    type: z.literal('reasoning'),
    id: z.string().min(1),
    summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
    encrypted_content: z.string().optional(),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string().min(1),
    call_id: z.string().min(1),
    name: z.string().min(1),
    namespace: z.string().optional(),
    arguments: z.string(),
    status,
  }),
  z.object({
    type: z.literal('custom_tool_call'),
    id: z.string().min(1),
    call_id: z.string().min(1),
    name: z.string().min(1),
    input: z.string(),
    status,
  }),
]);

const tokens = z.int().min(0);

export const responseSchema = z.object({
  id: z.string().min(1),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.null(),
  instructions: z.string().nullable(),
  output: z.array(itemSchema),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string() })),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.object({ format: z.object({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  usage: z
    .object({
      input_tokens: tokens,
      output_tokens: tokens,
      total_tokens: tokens,
      input_tokens_details: z.object({ cached_tokens: tokens }),
      output_tokens_details: z.object({ reasoning_tokens: tokens }),
    })
    .nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  /** Required by OpenAI's types, not by Open Responses. */
  access_programs: z.null(),
  store: z.literal(false),
  background: z.literal(false),
  service_tier: z.string(),
  metadata: z.looseObject({}),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

const at = { sequence_number: z.int().min(0), output_index: z.int().min(0) };
const inItem = { ...at, item_id: z.string().min(1) };
const inPart = { ...inItem, content_index: z.int().min(0) };
const inSummary = { ...inItem, summary_index: z.int().min(0) };
const summary = z.object({ type: z.literal('summary_text'), text: z.string() });
const event = <Shape extends z.ZodRawShape>(type: string, shape: Shape) =>
  z.object({ type: z.literal(`response.${type}`), ...shape });
const ofResponse = { sequence_number: z.int().min(0), response: responseSchema };

/** Schema of the events of a stream that does not fail before its first event. */
export const eventSchema = z.union([
  ...['created', 'in_progress', 'completed', 'incomplete', 'failed'].map((type) => event(type, ofResponse)),
  event('output_item.added', { ...at, item: itemSchema }),
  event('output_item.done', { ...at, item: itemSchema }),
  event('content_part.added', { ...inPart, part: z.union([text, refusal]) }),
  event('content_part.done', { ...inPart, part: z.union([text, refusal]) }),
  event('output_text.delta', { ...inPart, delta: z.string(), logprobs: z.array(z.never()) }),
  event('output_text.done', { ...inPart, text: z.string(), logprobs: z.array(z.never()) }),
  event('refusal.delta', { ...inPart, delta: z.string() }),
  event('refusal.done', { ...inPart, refusal: z.string() }),
  event('reasoning_summary_part.added', { ...inSummary, part: summary }),
  event('reasoning_summary_part.done', { ...inSummary, part: summary }),
  event('reasoning_summary_text.delta', { ...inSummary, delta: z.string() }),
  event('reasoning_summary_text.done', { ...inSummary, text: z.string() }),
  event('function_call_arguments.delta', { ...inItem, delta: z.string() }),
  event('function_call_arguments.done', { ...inItem, arguments: z.string() }),
  event('custom_tool_call_input.delta', { ...inItem, delta: z.string() }),
  event('custom_tool_call_input.done', { ...inItem, input: z.string() }),
]);
