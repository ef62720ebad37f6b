import { isObject } from '../../../contract/fields.js';
import type { LlmConfig } from '../../../contract/step-request.js';
import { toTurns } from '../../../conversation/convert/conversation-items.js';
import { readAnswerFormat } from '../answer-format.js';
import { ClientTools } from '../client-tools.js';
import {
  chooseTool,
  foreignState,
  ignoredFields,
  imageReplaced,
  readEach,
  readFields,
  refused,
  toolSkipped,
} from '../read-fields.js';
import type { NeutralRequest } from '../wire.js';
import {
  bodySchema,
  isDefined,
  type Message,
  type MessagesBody,
  type MessagesTool,
  messageSchema,
  toolSchema,
} from './messages-schema.js';
import { readConversation } from './read-conversation.js';

/**
 * Fields that the service ignores although they would change what the model writes. The report has a warning about
 * each of them; other unknown fields are ignored without a warning.
 */
const ignored = [
  ...['stop_sequences', 'top_p', 'top_k', 'mcp_servers', 'container', 'context_management'],
  'compaction',
];

/** Reads a request of the Messages API (rule: messages-requests). */
export async function readMessages(
  body: unknown,
  signal: AbortSignal,
): Promise<{ readonly request: NeutralRequest; readonly isStreamed: boolean }> {
  if (!isObject(body)) throw refused('', 'expected the request as an object');
  if (body['thread'] !== undefined && body['thread'] !== null)
    throw refused('thread', 'nothing is stored; send the whole conversation in messages');
  const fields = readFields(bodySchema, body, '');
  const messages = await readEach(messageSchema, fields.messages, { path: 'messages', signal });
  const sent = await readEach(toolSchema, fields.tools ?? [], { path: 'tools', signal });
  const found = referencesIn(messages);
  const isOffered = (tool: MessagesTool) => isDefined(tool) && (!tool.defer_loading || found.has(tool.name));
  const tools = new ClientTools(
    sent.filter(isOffered).map(({ name, description, input_schema: inputSchema }) => ({
      kind: 'function',
      name,
      description,
      inputSchema,
    })),
  );
  const { instructions, items, replaced, foreignStates } = readConversation(messages, tools);
  const system = fields.system.map(({ text = '' }) => text);
  const request: NeutralRequest = {
    model: fields.model,
    instructions: [...system, ...instructions].filter((text) => text !== '').join('\n\n'),
    turns: toTurns(items),
    tools,
    toolChoice: toolChoiceOf(fields, tools),
    takesSeveralCalls: fields.tool_choice?.disable_parallel_tool_use !== true,
    answerSchema: answerSchemaOf(fields),
    settings: {
      maxOutputTokens: fields.max_tokens,
      temperature: fields.temperature,
      seed: undefined,
      reasoningEffort: effortOf(fields),
    },
    cacheKey: undefined,
    warnings: [
      ...ignoredFields(body, ignored),
      ...sent.filter((tool) => !isDefined(tool)).map(({ type = '' }) => toolSkipped(type)),
      ...(replaced > 0 ? [imageReplaced(replaced)] : []),
      ...(foreignStates > 0 ? [foreignState] : []),
    ],
  };
  return { request, isStreamed: fields.stream ?? false };
}

/**
 * Returns the names in the `tool_reference` blocks of all tool results: deferred tools that the client's own tool
 * search found.
 */
function referencesIn(messages: readonly Message[]): ReadonlySet<string> {
  const results = messages.flatMap(({ content }) => content.flatMap((block) => block.content));
  return new Set(
    results.flatMap(({ type, tool_name: name }) => (type === 'tool_reference' && name ? [name] : [])),
  );
}

function answerSchemaOf({ output_config: config, output_format: former }: MessagesBody) {
  return config?.format
    ? readAnswerFormat(config.format, ['output_config', 'format'])
    : readAnswerFormat(former, ['output_format']);
}

function toolChoiceOf(
  { tool_choice: choice }: MessagesBody,
  tools: ClientTools,
): NeutralRequest['toolChoice'] {
  const { type = 'auto', name = '' } = choice ?? {};
  if (type === 'any') return 'required';
  return type === 'tool' ? chooseTool({ name }, tools, ['tool_choice', 'name']) : type;
}

/** Maximum thinking budgets, in tokens, that the service treats as low and as medium reasoning effort. */
const LOW_BUDGET = 4_096;
const MEDIUM_BUDGET = 16_384;

function effortOf({ thinking, output_config: config }: MessagesBody): LlmConfig['reasoningEffort'] {
  if (config?.effort) return config.effort;
  if (thinking?.type !== 'enabled' || thinking.budget_tokens === undefined) return undefined;
  if (thinking.budget_tokens <= LOW_BUDGET) return 'low';
  return thinking.budget_tokens <= MEDIUM_BUDGET ? 'medium' : 'high';
}
