import { z } from 'zod';
import { jsonObject, jsonValue, list, optional } from '../../../contract/fields.js';
import { reasoningEffortSchema } from '../../../contract/step-request.js';
import { answerFormatSchema } from '../answer-format.js';
import { grammarSchema } from '../client-tools.js';
import { MAX_ITEMS, MAX_PARTS, MAX_TOOLS } from '../read-fields.js';

const partSchema = z.object({
  type: z.string(),
  text: optional(z.string()),
  refusal: optional(z.string()),
  image_url: optional(z.union([z.string(), z.object({ url: z.string() })], 'expected an object with url')),
  file: optional(z.object({ filename: optional(z.string()), file_data: optional(z.string()) })),
});

/** A list of parts. A single text is converted to a list of one part. */
const contentSchema = z.preprocess(
  (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])),
  list(partSchema, MAX_PARTS),
);

const calledFunction = optional(
  z.object({
    name: z.string(),
    arguments: optional(z.union([z.string(), jsonObject], 'expected JSON as text')),
  }),
);

const toolCallSchema = z.object({
  id: optional(z.string()),
  function: calledFunction,
  custom: optional(z.object({ name: z.string(), input: optional(z.string()) })),
  extra_content: jsonValue.optional(),
});

/** A message of any role. Fields that do not belong to the message's role are ignored. */
export const messageSchema = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: contentSchema.optional(),
  refusal: optional(z.string()),
  tool_calls: optional(list(toolCallSchema, MAX_PARTS)),
  /** A call as older clients write it, which has no id. Its result is a message of the role `function`. */
  function_call: calledFunction,
  tool_call_id: optional(z.string()),
  reasoning_content: optional(z.string()),
  reasoning_details: jsonValue.optional(),
  extra_content: jsonValue.optional(),
});

const functionSchema = z.object({
  name: z.string().min(1),
  description: optional(z.string()),
  parameters: optional(jsonObject),
});

const customSchema = z.object({
  name: z.string().min(1),
  description: optional(z.string()),
  format: optional(z.object({ grammar: optional(grammarSchema) })),
});

/** A tool of any type. Tools of other types than `function` and `custom` run at the vendor, so they are skipped. */
export const toolSchema = z
  .object({
    type: z.string(),
    function: optional(functionSchema),
    custom: optional(customSchema),
  })
  .refine(({ type, function: given }) => type !== 'function' || given, {
    path: ['function'],
    error: 'this field is required: an object',
  })
  .refine(({ type, custom }) => type !== 'custom' || custom, {
    path: ['custom'],
    error: 'this field is required: an object',
  });

const named = z.object({ name: z.string() });

const toolChoiceSchema = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.object({ type: z.literal('function'), function: named }),
    z.object({ type: z.literal('custom'), custom: named }),
    z.object({
      type: z.literal('allowed_tools'),
      allowed_tools: z.object({
        mode: z.enum(['auto', 'required']),
        tools: optional(list(z.object({ function: named.optional(), custom: named.optional() }), MAX_TOOLS)),
      }),
    }),
  ],
  'expected "none", "auto", "required", or an object that names a tool',
);

/** The fields of a request body without messages and tools, which are read one by one with schemas of their own. */
export const bodySchema = z.object({
  model: z.string().min(1).max(512),
  messages: z.array(z.unknown()).min(1).max(MAX_ITEMS),
  tools: optional(z.array(z.unknown()).max(MAX_TOOLS)),
  tool_choice: optional(toolChoiceSchema),
  parallel_tool_calls: optional(z.boolean()),
  max_tokens: optional(z.int().min(1)),
  max_completion_tokens: optional(z.int().min(1)),
  temperature: optional(z.number().min(0).max(2)),
  seed: optional(z.int()),
  reasoning_effort: optional(reasoningEffortSchema),
  stream: optional(z.boolean()),
  stream_options: optional(z.object({ include_usage: optional(z.boolean()) })),
  prompt_cache_key: optional(z.string()),
  n: optional(z.int()),
  response_format: optional(
    answerFormatSchema.extend({ json_schema: optional(z.object({ schema: optional(jsonObject) })) }),
  ),
});

export type ChatMessage = z.output<typeof messageSchema>;
export type ChatBody = z.output<typeof bodySchema>;
export type ChatTool = z.output<typeof toolSchema>;
