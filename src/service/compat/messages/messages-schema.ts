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
 * Returns a search result or a document after a block with its title, source and context, and the summary of a
 * compaction as text. Replaces what consists of blocks by these. Returns any other block alone.
 */
function unwrapped(block: unknown): readonly unknown[] {
  if (!isObject(block)) return [block];
  const { type, title, source, context, content } = block;
  if (type === 'compaction') return blocksOf(content);
  if (type !== 'search_result' && type !== 'document') return [block];
  const heading = [title, source, context].filter((text) => typeof text === 'string').join('\n');
  const ofDocument = isObject(source) && source['type'] === 'content' ? source['content'] : undefined;
  const inner = type === 'document' ? ofDocument : content;
  const rest = inner === undefined ? [block] : blocksOf(inner);
  return heading === '' ? rest : [textBlock(heading), ...rest];
}

function blocksOf(content: unknown): readonly unknown[] {
  const blocks = asBlocks(content);
  return Array.isArray(blocks) ? blocks : [];
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
export const toolSchema = z
  .object({
    type: optional(z.string()),
    name: z.string().min(1).default(''),
    description: optional(z.string()),
    input_schema: optional(jsonObject),
    defer_loading: optional(z.boolean()),
  })
  .refine((tool) => tool.name !== '' || !isDefined(tool), {
    path: ['name'],
    error: 'this field is required: a text',
  });

/** Returns whether a request defines a tool completely, so that any model can call it. */
export const isDefined = ({
  type,
  input_schema: schema,
}: {
  readonly type?: string | undefined;
  readonly input_schema?: object | undefined;
}): boolean => type === undefined || type === 'custom' || schema !== undefined;

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
