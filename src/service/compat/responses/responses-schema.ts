import { z } from 'zod';
import { isObject, jsonObject, jsonValue, list, optional } from '../../../contract/fields.js';
import { reasoningEffortSchema } from '../../../contract/step-request.js';
import { answerFormatSchema } from '../answer-format.js';
import { grammarSchema } from '../client-tools.js';
import { MAX_ITEMS, MAX_PARTS, MAX_TOOLS } from '../read-fields.js';

const partSchema = z.object({
  type: z.string(),
  text: optional(z.string()),
  refusal: optional(z.string()),
  image_url: optional(z.string()),
  filename: optional(z.string()),
  file_data: optional(z.string()),
});

/** A list of parts. A single text is converted to a list of one part. */
const partsSchema = z.preprocess(
  (content) => (typeof content === 'string' ? [{ type: 'input_text', text: content }] : (content ?? [])),
  list(partSchema, MAX_PARTS),
);

/** The required fields of items, by type. Of items of other types, only the type is read. */
const needed: ReadonlyMap<string, readonly string[]> = new Map([
  ['message', ['role']],
  ['function_call', ['call_id', 'name']],
  ['custom_tool_call', ['call_id', 'name']],
  ['function_call_output', ['call_id']],
  ['custom_tool_call_output', ['call_id']],
  ['reasoning', []],
]);

/** Returns whether items of a type are part of the conversation that the model gets. */
export const isKnownItem = (type: string): boolean => needed.has(type);

/** Adds the type `message` to an item without a type. Removes all other fields from items of unknown types. */
function toTyped(item: unknown): unknown {
  if (!isObject(item)) return item;
  const { type = 'message' } = item;
  return typeof type === 'string' && isKnownItem(type) ? { ...item, type } : { type };
}

const itemFields = z.object({
  type: z.string(),
  role: optional(z.enum(['user', 'assistant', 'system', 'developer'])),
  content: partsSchema,
  call_id: optional(z.string()),
  name: optional(z.string()),
  namespace: optional(z.string()),
  arguments: optional(z.union([z.string(), jsonObject], 'expected JSON as text')),
  input: optional(z.string()),
  output: partsSchema,
  encrypted_content: optional(z.string()),
});

/** An item of any type. */
export const itemSchema = z.preprocess(
  toTyped,
  itemFields.superRefine((item, context) => {
    for (const field of needed.get(item.type) ?? [])
      if (item[field as keyof typeof item] === undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'this field is required: a text' });
  }),
);

const toolFields = z.object({
  type: z.string(),
  name: optional(z.string().min(1)),
  description: optional(z.string()),
  parameters: optional(jsonObject),
  /** The format of a freeform tool's text, such as a grammar. */
  format: optional(grammarSchema),
});

const isNamed = ({ type, name }: { readonly type: string; readonly name?: string | undefined }): boolean =>
  name !== undefined || !['function', 'custom', 'namespace'].includes(type);
const nameRequired = { path: ['name'], error: 'this field is required: a text' };

/**
 * A tool of any type. Tools of other types than functions, freeform tools and namespaces run at the vendor and are
 * skipped.
 */
export const toolSchema = z.preprocess(
  onlyIfKnown,
  toolFields
    .extend({
      tools: optional(list(z.preprocess(onlyIfKnown, toolFields.refine(isNamed, nameRequired)), MAX_TOOLS)),
    })
    .refine(isNamed, nameRequired),
);

/** Removes all fields but the type from tools that run at the vendor, because their fields have other meanings. */
function onlyIfKnown(tool: unknown): unknown {
  if (!isObject(tool)) return tool;
  const { type } = tool;
  return type === 'function' || type === 'custom' || type === 'namespace' ? tool : { type };
}

const toolChoiceSchema = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.object({
      type: z.enum(['function', 'custom']),
      name: z.string(),
      namespace: optional(z.string()),
    }),
    z.object({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: optional(
        list(z.object({ name: optional(z.string()), namespace: optional(z.string()) }), MAX_TOOLS),
      ),
    }),
  ],
  'expected "none", "auto", "required", or an object that names a function or custom tool in tools; hosted tools cannot be chosen',
);

/** The fields of a request body without items and tools, which are read one by one with schemas of their own. */
export const bodySchema = z.object({
  model: z.string().min(1).max(512),
  input: z.union([z.string(), z.array(z.unknown()).max(MAX_ITEMS)], 'expected a text, or a list of items'),
  instructions: optional(z.string()),
  tools: optional(z.array(z.unknown()).max(MAX_TOOLS)),
  tool_choice: optional(toolChoiceSchema),
  parallel_tool_calls: optional(z.boolean()),
  max_output_tokens: optional(z.int().min(1)),
  temperature: optional(z.number().min(0).max(2)),
  reasoning: optional(z.object({ effort: optional(reasoningEffortSchema) })),
  stream: optional(z.boolean()),
  text: optional(z.object({ format: optional(answerFormatSchema) })),
  prompt_cache_key: optional(z.string()),
  metadata: optional(jsonObject),
  previous_response_id: jsonValue.optional(),
  conversation: jsonValue.optional(),
  prompt: jsonValue.optional(),
  background: jsonValue.optional(),
});

export type Item = z.output<typeof itemSchema>;
export type Part = Item['content'][number];
export type ResponsesBody = z.output<typeof bodySchema>;
export type ResponsesTool = z.output<typeof toolSchema>;
