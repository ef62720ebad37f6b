import { isObject } from '../../../contract/fields.js';
import type { Warning } from '../../../contract/step.js';
import { toTurns } from '../../../conversation/convert/conversation-items.js';
import { readAnswerFormat } from '../answer-format.js';
import { ClientTools, type OfferedByClient, withGrammar } from '../client-tools.js';
import {
  chooseTool,
  ignoredFields,
  imageReplaced,
  readEach,
  readFields,
  refused,
  toolSkipped,
} from '../read-fields.js';
import type { NeutralRequest } from '../wire.js';
import { bodySchema, type ChatBody, type ChatTool, messageSchema, toolSchema } from './chat-schema.js';
import { readMessages } from './read-messages.js';

/** A parsed Chat Completions request. */
export interface ReadChat {
  readonly request: NeutralRequest;
  readonly isStreamed: boolean;
  /** True if the client asks for the usage in the last chunk of a stream. */
  readonly includesUsage: boolean;
}

/**
 * Fields that the service ignores although they would change what the model writes. The report has a warning about
 * each of them; other unknown fields are ignored without a warning.
 */
const ignored = [
  ...['stop', 'top_p', 'top_k', 'min_p', 'frequency_penalty', 'presence_penalty', 'repetition_penalty'],
  ...['logit_bias', 'logprobs', 'top_logprobs', 'functions', 'function_call', 'modalities', 'audio'],
  ...['prediction', 'verbosity', 'web_search_options'],
];

/** Reads a Chat Completions request (rule: chat-requests). */
export async function readChat(body: unknown, signal: AbortSignal): Promise<ReadChat> {
  if (!isObject(body)) throw refused('', 'expected the request as an object');
  const fields = readFields(bodySchema, body, '');
  if ((fields.n ?? 1) > 1) throw refused('n', 'only one choice can be made; send n: 1, or several requests');
  const messages = await readEach(messageSchema, fields.messages, { path: 'messages', signal });
  const sent = await readEach(toolSchema, fields.tools ?? [], { path: 'tools', signal });
  const tools = new ClientTools(sent.flatMap(toOffered).filter(isAllowedBy(fields)));
  const { instructions, items, replaced } = readMessages(messages, tools);
  const request: NeutralRequest = {
    model: fields.model,
    instructions,
    turns: toTurns(items),
    tools,
    toolChoice: toolChoiceOf(fields, tools),
    takesSeveralCalls: fields.parallel_tool_calls ?? true,
    answerSchema: answerSchemaOf(fields),
    settings: {
      maxOutputTokens: fields.max_completion_tokens ?? fields.max_tokens,
      temperature: fields.temperature,
      seed: fields.seed,
      reasoningEffort: fields.reasoning_effort,
    },
    cacheKey: fields.prompt_cache_key,
    warnings: [
      ...ignoredFields(body, ignored),
      ...sent.flatMap(skipped),
      ...(replaced > 0 ? [imageReplaced(replaced)] : []),
    ],
  };
  return {
    request,
    isStreamed: fields.stream ?? false,
    includesUsage: fields.stream_options?.include_usage ?? false,
  };
}

/**
 * Returns the schema of the answer. Clients may also send one with `json_object`, beside the type, as some servers
 * allow.
 */
function answerSchemaOf({ response_format: format }: ChatBody): NeutralRequest['answerSchema'] {
  const path = ['response_format'];
  if (format?.type !== 'json_schema') return readAnswerFormat(format, path);
  const { type, json_schema: named } = format;
  return readAnswerFormat({ type, schema: named?.schema }, [...path, 'json_schema']);
}

function toOffered({ type, function: given, custom }: ChatTool): OfferedByClient[] {
  if (type === 'custom' && custom) {
    const description = withGrammar(custom.description, custom.format?.grammar);
    return [{ kind: 'custom', name: custom.name, description }];
  }
  if (type !== 'function' || !given) return [];
  const { name, description, parameters } = given;
  return [{ kind: 'function', name, description, inputSchema: parameters }];
}

/** Returns a filter for the tools that the model may call, if the tool choice lists them. */
function isAllowedBy({ tool_choice: choice }: ChatBody): (tool: OfferedByClient) => boolean {
  const listed =
    typeof choice === 'object' && 'allowed_tools' in choice ? choice.allowed_tools.tools : undefined;
  if (!listed) return () => true;
  const names = new Set(listed.map((each) => (each.function ?? each.custom)?.name));
  return ({ name }) => names.has(name);
}

/** Returns a warning for a tool that runs at the vendor, otherwise an empty list. */
function skipped({ type }: ChatTool): Warning[] {
  return type === 'function' || type === 'custom' ? [] : [toolSkipped(type)];
}

function toolChoiceOf({ tool_choice: choice }: ChatBody, tools: ClientTools): NeutralRequest['toolChoice'] {
  if (choice === undefined) return 'auto';
  if (typeof choice === 'string') return choice;
  if ('allowed_tools' in choice) return choice.allowed_tools.mode;
  return chooseTool('function' in choice ? choice.function : choice.custom, tools, 'tool_choice');
}
