import {
  checkAnthropicSchema,
  checkOpenAiSchema,
  type Fields,
  fieldsOf,
  firstProblem,
} from './check-schema.js';

/**
 * Returns the problem that the vendor would report about a request, or null. Checks the formal rules that the API
 * pages of both vendors state for all models.
 */
export type CheckRequest = (body: Fields) => string | null;

export const checkOpenAiRequest: CheckRequest = (body) =>
  checkCommon(body) ??
  firstProblem(objectsOf(body['messages']), checkOpenAiMessage) ??
  checkToolMessages(objectsOf(body['messages'])) ??
  firstProblem(objectsOf(body['tools']), ({ function: tool }) => checkToolName(fieldsOf(tool)['name'], 64)) ??
  checkResponseFormat(body);

/**
 * Checks the items of a Responses request: each output must belong to a call, and another item must follow each
 * reasoning item.
 */
export const checkResponsesRequest: CheckRequest = (body) => {
  const items = objectsOf(body['input']);
  const { name, schema, strict } = fieldsOf(fieldsOf(body['text'])['format']);
  return (
    checkCommon({ model: body['model'], messages: body['input'] }) ??
    checkOutputs(items) ??
    firstProblem(items, (item, index) => checkReasoningItem(item, items[index + 1])) ??
    firstProblem(objectsOf(body['tools']), (tool) => checkToolName(tool['name'], 64)) ??
    (strict === true ? checkOpenAiSchema(schema, String(name)) : null)
  );
};

function checkOutputs(items: readonly Fields[]): string | null {
  const open = new Set<unknown>();
  for (const { type, call_id } of items) {
    if (type === 'function_call') open.add(call_id);
    if (type === 'function_call_output' && !open.delete(call_id))
      return `No tool call found for function call output with call_id ${String(call_id)}.`;
  }
  return open.size === 0 ? null : `No tool output found for function call ${String([...open][0])}.`;
}

function checkReasoningItem(
  { type, id, encrypted_content }: Fields,
  next: Fields | undefined,
): string | null {
  if (type !== 'reasoning') return null;
  if (typeof encrypted_content !== 'string')
    return `Item with id '${String(id)}' not found. Items are not persisted when 'store' is set to false.`;
  const leads =
    next?.['type'] === 'reasoning' || next?.['type'] === 'function_call' || next?.['role'] === 'assistant';
  return leads
    ? null
    : `Item '${String(id)}' of type 'reasoning' was provided without its required following item.`;
}

/** Checks `response_format`. Accepts any schema that is not strict, as llama.cpp and similar servers do. */
function checkResponseFormat({ response_format, messages }: Fields): string | null {
  const { type, json_schema } = fieldsOf(response_format);
  if (type === undefined || type === 'text') return null;
  if (type !== 'json_schema' && type !== 'json_object') return "Invalid value: 'response_format.type'";
  const { name, schema, strict } = fieldsOf(json_schema);
  if (type === 'json_object') return checkMentionsJson(messages);
  if (typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name))
    return "Invalid 'response_format.json_schema.name'";
  return strict === true ? checkOpenAiSchema(schema, name) : null;
}

const checkMentionsJson = (messages: unknown): string | null =>
  /json/i.test(JSON.stringify(messages))
    ? null
    : "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";

export const checkAnthropicRequest: CheckRequest = (body) => {
  const messages = objectsOf(body['messages']);
  return (
    checkCommon(body) ??
    (isPositiveInteger(body['max_tokens']) ? null : 'max_tokens: Field required') ??
    (messages[0]?.['role'] === 'user' ? null : 'messages: first message must use the "user" role') ??
    (messages.at(-1)?.['role'] === 'assistant' ? 'Prefilling assistant messages is not supported' : null) ??
    firstProblem(messages, checkAnthropicMessage) ??
    checkToolBlocks(messages) ??
    checkBreakpoints(body) ??
    firstProblem(objectsOf(body['tools']), ({ name }) => checkToolName(name, 128)) ??
    checkOutputFormat(body)
  );
};

function checkOutputFormat({ output_config }: Fields): string | null {
  const { format } = fieldsOf(output_config);
  if (format === undefined || format === null) return null;
  const { type, schema } = fieldsOf(format);
  return type === 'json_schema'
    ? checkAnthropicSchema(schema)
    : 'output_config.format.type: Input should be json_schema';
}

function checkCommon({ model, messages }: Fields): string | null {
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter';
  return objectsOf(messages).length > 0 ? null : "Invalid 'messages': empty array";
}

function checkOpenAiMessage({ role, content, tool_calls }: Fields, index: number): string | null {
  const roles = ['system', 'developer', 'user', 'assistant', 'tool'];
  if (!roles.includes(String(role))) return `Invalid value: messages[${index}].role`;
  const callsTools = role === 'assistant' && objectsOf(tool_calls).length > 0;
  if (typeof content === 'string' || objectsOf(content).length > 0 || callsTools) return null;
  return `Invalid value for 'content': expected a string, got null: messages[${index}]`;
}

/** Checks that tool messages directly follow the message with their calls, and that each call has one. */
function checkToolMessages(messages: readonly Fields[]): string | null {
  let open = new Set<unknown>();
  for (const { role, tool_calls, tool_call_id } of [...messages, {}]) {
    if (role === 'tool') {
      if (!open.delete(tool_call_id))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
      continue;
    }
    if (open.size > 0) return "An assistant message with 'tool_calls' must be followed by tool messages";
    open = new Set(objectsOf(tool_calls).map(({ id }) => id));
  }
  return null;
}

function checkAnthropicMessage({ role, content }: Fields, index: number): string | null {
  if (!['user', 'assistant', 'system'].includes(String(role))) return `messages.${index}.role: invalid`;
  if (typeof content === 'string')
    return content === '' ? `messages.${index}: must have non-empty content` : null;
  const blocks = objectsOf(content);
  if (blocks.length === 0) return `messages.${index}: must have non-empty content`;
  const empty = blocks.some(({ type, text }) => type === 'text' && text === '');
  return empty ? `messages.${index}: text content blocks must be non-empty` : null;
}

/** Checks that the next message has one `tool_result` for each `tool_use`, and no others. */
function checkToolBlocks(messages: readonly Fields[]): string | null {
  let used = new Set<unknown>();
  for (const { content } of [...messages, {}]) {
    const blocks = objectsOf(content);
    const results = new Set(
      blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => tool_use_id),
    );
    if ([...used].some((id) => !results.has(id)))
      return '`tool_use` ids were found without `tool_result` blocks';
    if ([...results].some((id) => !used.has(id)))
      return 'unexpected `tool_use_id` found in `tool_result` blocks';
    used = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
  }
  return null;
}

function checkBreakpoints({ system, tools, messages }: Fields): string | null {
  const blocks = [
    ...objectsOf(system),
    ...objectsOf(tools),
    ...objectsOf(messages).flatMap(({ content }) => objectsOf(content)),
  ];
  const marked = blocks.filter(({ cache_control }) => cache_control != null);
  return marked.length > 4 ? 'A maximum of 4 blocks with cache_control may be provided' : null;
}

const checkToolName = (name: unknown, maxLength: number): string | null =>
  typeof name === 'string' && /^[\w-]+$/.test(name) && name.length <= maxLength
    ? null
    : `tools: name must match ^[a-zA-Z0-9_-]{1,${maxLength}}$`;

const isPositiveInteger = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;

const objectsOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
