import { isObject } from '../../../contract/fields.js';
import type { Warning } from '../../../contract/step.js';
import { toTurns } from '../../../conversation/convert/conversation-items.js';
import { readAnswerFormat } from '../answer-format.js';
import { ClientTools, type OfferedByClient, withGrammar } from '../client-tools.js';
import {
  chooseTool,
  foreignState,
  ignoredFields,
  imageReplaced,
  MAX_TOOLS,
  readEach,
  readFields,
  refused,
  toolSkipped,
} from '../read-fields.js';
import type { NeutralRequest } from '../wire.js';
import { readItems } from './read-items.js';
import {
  bodySchema,
  itemSchema,
  type ResponsesBody,
  type ResponsesTool,
  toolSchema,
} from './responses-schema.js';
import type { Repeated } from './write-response.js';

/** A parsed request of the Responses API. */
export interface ReadResponses {
  readonly request: NeutralRequest;
  readonly isStreamed: boolean;
  /** Fields of the request that the answer repeats. */
  readonly repeated: Repeated;
}

/**
 * Fields that the service ignores although they would change what the model writes. The report has a warning about
 * each of them; other unknown fields are ignored without a warning.
 */
const ignored = ['top_p', 'top_logprobs', 'presence_penalty', 'frequency_penalty', 'max_tool_calls'];

/** The AI SDK sends references unless its option `store` is false. */
const wholeItems =
  'no items are stored; send each item whole (with the AI SDK: providerOptions.openai.store = false)';

/** Reads a request of the Responses API (rule: responses-requests). */
export async function readResponses(body: unknown, signal: AbortSignal): Promise<ReadResponses> {
  if (!isObject(body)) throw refused('', 'expected the request as an object');
  const fields = readFields(bodySchema, body, '');
  refuseUnsupported(fields);
  const { input } = fields;
  const list = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const given = await readEach(itemSchema, list, { path: 'input', signal });
  const reference = given.findIndex(({ type }) => type === 'item_reference');
  if (reference >= 0) throw refused(`input[${reference}]`, wholeItems);
  const sent = await readEach(toolSchema, fields.tools ?? [], { path: 'tools', signal });
  const tools = toTools(sent, fields);
  const { instructions, items, replaced, foreignStates, skipped } = readItems(given, tools);
  const request: NeutralRequest = {
    model: fields.model,
    instructions: [fields.instructions ?? '', ...instructions].filter((text) => text !== '').join('\n\n'),
    turns: toTurns(items),
    tools,
    toolChoice: toolChoiceOf(fields, tools),
    takesSeveralCalls: fields.parallel_tool_calls ?? true,
    answerSchema: readAnswerFormat(fields.text?.format, ['text', 'format']),
    settings: {
      maxOutputTokens: fields.max_output_tokens,
      temperature: fields.temperature,
      seed: undefined,
      reasoningEffort: fields.reasoning?.effort,
    },
    cacheKey: fields.prompt_cache_key,
    warnings: [
      ...ignoredFields(body, ignored),
      ...sent.flatMap(skippedTools),
      ...(skipped > 0 ? [itemsSkipped] : []),
      ...(replaced > 0 ? [imageReplaced(replaced)] : []),
      ...(foreignStates > 0 ? [foreignState] : []),
    ],
  };
  return { request, isStreamed: fields.stream ?? false, repeated: repeatedOf(body, fields) };
}

/** Throws `StepRefused` for fields that would need stored conversations or responses. */
function refuseUnsupported(fields: ResponsesBody): void {
  for (const name of ['previous_response_id', 'conversation', 'prompt'] as const)
    if (fields[name] !== undefined && fields[name] !== null)
      throw refused(name, 'nothing is stored; send the whole conversation in input');
  if (fields.background === true)
    throw refused('background', 'nothing is stored, so no answer can be fetched later; use stream');
}

/**
 * Creates the tools. The limit applies to all namespaces together, because names that collide are made unique one by
 * one.
 */
function toTools(sent: readonly ResponsesTool[], fields: ResponsesBody): ClientTools {
  const offered = sent.flatMap(toOffered);
  if (offered.length > MAX_TOOLS)
    throw refused('tools', `expected at most ${MAX_TOOLS} tools, those of all namespaces together`);
  return new ClientTools(offered.filter(isAllowedBy(fields)));
}

/** Returns a filter for the tools that the model may call, if the tool choice lists them. */
function isAllowedBy({ tool_choice: choice }: ResponsesBody): (tool: OfferedByClient) => boolean {
  const listed = typeof choice === 'object' && choice.type === 'allowed_tools' ? choice.tools : undefined;
  if (!listed) return () => true;
  const keys = new Set(listed.map(keyOf));
  return (tool) => keys.has(keyOf(tool));
}

const keyOf = ({ name, namespace }: { name?: string | undefined; namespace?: string | undefined }): string =>
  JSON.stringify([namespace, name]);

/** Returns the tool itself or, for a namespace, the tools in it. */
function toOffered({ tools = [], ...tool }: ResponsesTool): OfferedByClient[] {
  if (tool.type !== 'namespace') return ownTool(tool);
  return tools.flatMap((each) => ownTool(each, tool.name));
}

type OwnTool = Omit<ResponsesTool, 'tools'>;

function ownTool({ type, name = '', parameters, ...rest }: OwnTool, namespace?: string): OfferedByClient[] {
  if (type !== 'function' && type !== 'custom') return [];
  const description = withGrammar(rest.description, rest.format);
  return [{ kind: type, name, namespace, description, inputSchema: parameters }];
}

/** Returns warnings for tools that run at the vendor. */
function skippedTools({ type, tools = [] }: OwnTool & Pick<ResponsesTool, 'tools'>): Warning[] {
  if (type === 'function' || type === 'custom') return [];
  return type === 'namespace' ? tools.flatMap((each) => skippedTools(each)) : [toolSkipped(type)];
}

const itemsSkipped: Warning = {
  code: 'item_skipped',
  message: 'Items of the conversation whose types are not supported were left out.',
};

function toolChoiceOf(
  { tool_choice: choice = 'auto' }: ResponsesBody,
  tools: ClientTools,
): NeutralRequest['toolChoice'] {
  if (typeof choice === 'string') return choice;
  return choice.type === 'allowed_tools' ? choice.mode : chooseTool(choice, tools, 'tool_choice');
}

/** Returns the fields of the request that the answer repeats. Of the tools, includes only those that the model gets. */
function repeatedOf(body: Readonly<Record<string, unknown>>, fields: ResponsesBody): Repeated {
  const taken = (fields.tools ?? []).filter(isObject).filter(({ type }) => isTaken(type));
  return {
    instructions: fields.instructions ?? null,
    max_output_tokens: fields.max_output_tokens ?? null,
    metadata: fields.metadata ?? {},
    parallel_tool_calls: fields.parallel_tool_calls ?? true,
    prompt_cache_key: fields.prompt_cache_key ?? null,
    reasoning: fields.reasoning ? { effort: fields.reasoning.effort ?? null, summary: null } : null,
    temperature: fields.temperature ?? 1,
    text: { format: formatIn(body) },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: taken.map((tool) =>
      tool['type'] === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool,
    ),
  };
}

/** Returns the answer format as the client wrote it, with the fields that OpenAI adds. */
function formatIn({ text }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const format = isObject(text) && isObject(text['format']) ? text['format'] : { type: 'text' };
  return format['type'] === 'json_schema' ? { description: null, strict: null, ...format } : format;
}

const isTaken = (type: unknown): boolean => type === 'function' || type === 'custom' || type === 'namespace';
