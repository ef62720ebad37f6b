import { z } from 'zod';
import { explainIssue } from '../../../contract/explain-issue.js';
import { isObject, jsonObject, jsonValue, optional } from '../../../contract/fields.js';
import { reasoningEffortSchema } from '../../../contract/step-request.js';
import { answerFormatSchema } from '../answer-format.js';
import { MAX_ITEMS, MAX_PARTS, MAX_TOOLS } from '../read-fields.js';

/** A block, with its path in the content that the client sent. */
interface PlacedBlock {
  readonly block: unknown;
  readonly path: readonly PropertyKey[];
}

/** Returns the blocks in a content, which may be a single text. Any other value contains no blocks. */
function placedBlocks(content: unknown, path: readonly PropertyKey[]): readonly PlacedBlock[] {
  if (typeof content === 'string') return [{ block: textBlock(content), path }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block, index) => unwrapped({ block, path: [...path, index] }));
}

const textBlock = (text: string) => ({ type: 'text', text });

/**
 * Returns a search result or a document after a block with its title, source and context, and the summary of a
 * compaction as text. Replaces what consists of blocks by these. Returns any other block alone.
 */
function unwrapped(placed: PlacedBlock): readonly PlacedBlock[] {
  const { block, path } = placed;
  if (!isObject(block)) return [placed];
  const { type, title, source, context, content } = block;
  if (type === 'compaction') return placedBlocks(content, [...path, 'content']);
  if (type !== 'search_result' && type !== 'document') return [placed];
  const heading = [title, source, context].filter((text) => typeof text === 'string').join('\n');
  const ofDocument = isObject(source) && source['type'] === 'content' ? source['content'] : undefined;
  const [inner, at] =
    type === 'document' ? [ofDocument, ['source', 'content']] : [content ?? [], ['content']];
  const rest = inner === undefined ? [placed] : placedBlocks(inner, [...path, ...at]);
  return heading === '' ? rest : [{ block: textBlock(heading), path }, ...rest];
}

/**
 * Returns the schema of a content. Reads a single text as one block, and replaces blocks that contain blocks by these,
 * which are counted. An issue has the path of the block in the content that the client sent.
 */
const contentOf = <Block>(schema: z.ZodType<Block>) =>
  z.preprocess(
    (content) => (typeof content === 'string' ? [textBlock(content)] : (content ?? [])),
    z.array(z.unknown()).transform((content, context): Block[] => {
      const placed = placedBlocks(content, []);
      if (placed.length > MAX_PARTS) {
        context.addIssue({
          code: 'too_big',
          origin: 'array',
          maximum: MAX_PARTS,
          inclusive: true,
          input: content,
        });
        return z.NEVER;
      }
      const blocks: Block[] = [];
      for (const { block, path } of placed) {
        const { data, error } = schema.safeParse(block, { error: explainIssue });
        if (error) {
          for (const issue of error.issues)
            context.addIssue({ code: 'custom', path: [...path, ...issue.path], message: issue.message });
          return z.NEVER;
        }
        blocks.push(data);
      }
      return blocks;
    }),
  );

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
const blockSchema = z.preprocess(
  withOwnContent,
  z.object({
    type: z.string(),
    text: optional(z.string()),
    id: optional(z.string()),
    name: optional(z.string()),
    input: jsonValue.optional(),
    tool_use_id: optional(z.string()),
    tool_name: optional(z.string()),
    source: optional(sourceSchema),
    content: contentOf(resultBlockSchema),
    is_error: optional(z.boolean()),
    signature: optional(z.string()),
    data: optional(z.string()),
  }),
);

/** Removes the content from blocks other than results: in blocks of Anthropic's own tools, it has other forms. */
function withOwnContent(block: unknown): unknown {
  return isObject(block) && block['type'] !== 'tool_result' ? { ...block, content: undefined } : block;
}

/** Roles of the messages in which blocks of a type are read. Blocks of other types are read in messages of all roles. */
const ownRoles: ReadonlyMap<string, string> = new Map([
  ['tool_use', 'assistant'],
  ['tool_result', 'user'],
]);

/** A message. Some clients also send their instructions as messages of the role `system`. */
export const messageSchema = z
  .object({
    role: z.enum(['user', 'assistant', 'system']),
    content: contentOf(blockSchema),
  })
  .superRefine(({ role, content }, context) => {
    for (const { type } of content) {
      const own = ownRoles.get(type) ?? role;
      if (own !== role)
        context.addIssue({
          code: 'custom',
          path: ['content'],
          message: `blocks of the type ${type} belong in messages of the role ${own}`,
        });
    }
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
  system: contentOf(z.object({ type: z.string(), text: optional(z.string()) })),
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
