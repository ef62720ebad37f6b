import { z } from 'zod';
import { isObject, jsonObject, jsonValue, list, optional } from '../../../contract/fields.js';
import { reasoningEffortSchema } from '../../../contract/step-request.js';
import { answerFormatSchema } from '../answer-format.js';
import { MAX_ITEMS, MAX_PARTS, MAX_TOOLS } from '../read-fields.js';

/** Converts a single text to a list of one block. Replaces blocks that contain blocks by these. */
function asBlocks(content: unknown): unknown {
  if (typeof content === 'string') return [textBlock(content)];
  return Array.isArray(content) ? content.flatMap(unwrapped) : (content ?? []);
}

const textBlock = (text: string) => ({ type: 'text', text });

/**
 * Returns the contents of a search result, or of a document that consists of blocks, after a block with its title and
 * source. Returns any other block alone.
 */
function unwrapped(block: unknown): readonly unknown[] {
  if (!isObject(block)) return [block];
  const { type, title, source, content } = block;
  const isParent = type === 'document' && isObject(source) && source['type'] === 'content';
  if (type !== 'search_result' && !isParent) return [block];
  const inner = asBlocks(isParent ? source['content'] : content);
  const heading = [title, source].filter((text) => typeof text === 'string').join('\n');
  return [textBlock(heading), ...(Array.isArray(inner) ? inner : [])];
}

const sourceSchema = z.object({
  type: z.string(),
  media_type: optional(z.string()),
  data: optional(z.string()),
});

const resultBlockSchema = z.object({
  type: z.string(),
  source: optional(sourceSchema),
  text: optional(z.string()),
  tool_name: optional(z.string()),
});

/** A block of any type. Fields that do not belong to the block's type are ignored. */
const blockSchema = z.object({
  type: z.string(),
  text: optional(z.string()),
  id: optional(z.string()),
  name: optional(z.string()),
  input: jsonValue.optional(),
  tool_use_id: optional(z.string()),
  tool_name: optional(z.string()),
  source: optional(sourceSchema),
  content: z.preprocess(
    (content) => (typeof content === 'string' || Array.isArray(content) ? asBlocks(content) : []),
    list(resultBlockSchema, MAX_PARTS),
  ),
  is_error: optional(z.boolean()),
  signature: optional(z.string()),
  data: optional(z.string()),
});

/** A message. Some clients also send their instructions as messages of the role `system`. */
export const messageSchema = z.object({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.preprocess(asBlocks, list(blockSchema, MAX_PARTS)),
});

/** A tool of any type. A tool without a schema is known only to Anthropic's models, or runs on Anthropic's servers. */
export const toolSchema = z.object({
  type: optional(z.string()),
  name: z.string().min(1),
  description: optional(z.string()),
  input_schema: optional(jsonObject),
  defer_loading: optional(z.boolean()),
});

const toolChoiceSchema = z.object({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: optional(z.string()),
  disable_parallel_tool_use: optional(z.boolean()),
});

/** The fields of a request body without messages and tools, which are read one by one with schemas of their own. */
export const bodySchema = z.object({
  model: z.string().min(1).max(512),
  messages: z.array(z.unknown()).min(1).max(MAX_ITEMS),
  system: z.preprocess(asBlocks, list(z.object({ type: z.string(), text: optional(z.string()) }), MAX_PARTS)),
  tools: optional(z.array(z.unknown()).max(MAX_TOOLS)),
  tool_choice: optional(toolChoiceSchema),
  max_tokens: optional(z.int().min(1)),
  temperature: optional(z.number().min(0).max(1)),
  thinking: optional(z.object({ type: z.string(), budget_tokens: optional(z.int()) })),
  output_config: optional(
    z.object({ effort: optional(reasoningEffortSchema), format: optional(answerFormatSchema) }),
  ),
  /** The former name of `output_config.format`. */
  output_format: optional(answerFormatSchema),
  stream: optional(z.boolean()),
});

export type Message = z.output<typeof messageSchema>;
export type Block = Message['content'][number];
export type MessagesBody = z.output<typeof bodySchema>;
export type MessagesTool = z.output<typeof toolSchema>;
