import type { ChatCompletionTool } from 'openai/resources/chat/completions';
import type { ToolDefinition } from '../../../contract/tool.js';
import type { CompletionRequest } from '../../agent/provider.js';
import { type Constraint, constraintDropped, constraintOf, isRefused } from '../constraint.js';
import { chooseParameters } from '../models/model-parameters.js';
import type { ModelTraits } from '../models/model-traits.js';
import type { Draft, DraftOptions } from '../vendor.js';
import { inVendorNames } from '../vendor-limits.js';
import { toMessages } from './to-messages.js';

/** A Chat Completions request. Never sends `stop`, which newer models refuse: `unsupported_parameter`. */
export function toRequest(
  request: CompletionRequest,
  traits: ModelTraits,
  { refused, streamed }: DraftOptions,
): Draft {
  const { definitions, messages, ownToolName } = inVendorNames(request);
  const breakpoints = traits.cacheBreakpoints && !refused.has('prompt_cache_breakpoint');
  const { sent, warnings } = chooseParameters(wantedParameters(request, traits), refused);
  const asked = constraintOf(request, traits);
  const constraint = asked && !isRefused(refused, asked) ? asked : undefined;
  const optional = {
    ...sent,
    ...outputLimit(request, traits, refused),
    ...(traits.cacheKey && { prompt_cache_key: request.cacheKey }),
    ...(request.nativeTools && traits.toolsWithoutReasoning && { reasoning_effort: 'none' }),
    ...(streamed && { stream_options: { include_usage: true } }),
  };
  const body = {
    model: request.model,
    messages: toMessages({ ...request.prompt, messages }, breakpoints),
    ...(refused.size === 0 ? optional : without(optional, refused)),
    ...(constraint && { response_format: responseFormat(constraint) }),
    ...(request.nativeTools && { tools: definitions.map(toTool), tool_choice: request.nativeTools.choice }),
    ...(streamed && { stream: true }),
  };
  const strippable = [...Object.keys(optional), ...(breakpoints ? ['prompt_cache_breakpoint'] : [])];
  const dropped = asked && !constraint ? [constraintDropped] : [];
  return {
    model: request.model,
    body,
    strippable,
    constraint,
    warnings: [...warnings, ...dropped],
    ownToolName,
  };
}

function without(optional: object, refused: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(optional).filter(([key]) => !refused.has(key)));
}

/** OpenAI's form, or the one that llama.cpp and its bindings take (docs/reference/constrained-output.md). */
function responseFormat({ form, schema }: Constraint): object {
  if (form === 'json_object') return { type: 'json_object' };
  if (form === 'llama') return { type: 'json_object', schema };
  return { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema } };
}

function wantedParameters(request: CompletionRequest, traits: ModelTraits) {
  const { temperature, seed, reasoningEffort: effort, nativeTools } = request;
  const efforts = nativeTools && traits.toolsWithoutReasoning ? ['none'] : traits.efforts;
  const takesEffort = efforts.some((each) => each === effort);
  return [
    { name: 'temperature', wire: 'temperature', value: temperature, taken: traits.temperature },
    { name: 'seed', wire: 'seed', value: seed, taken: traits.seed },
    { name: 'reasoningEffort', wire: 'reasoning_effort', value: effort, taken: takesEffort },
  ];
}

/** Under the name the model takes; if it refuses one, under the other. */
function outputLimit(
  { maxOutputTokens }: CompletionRequest,
  { maxTokensParam }: ModelTraits,
  refused: ReadonlySet<string>,
): Record<string, number> {
  const names = [maxTokensParam, 'max_completion_tokens', 'max_tokens'];
  const name = names.find((each) => !refused.has(each));
  return name === undefined ? {} : { [name]: maxOutputTokens };
}

function toTool({ name, description, inputSchema }: ToolDefinition): ChatCompletionTool {
  const parameters = { type: 'object', ...inputSchema };
  return { type: 'function', function: { name, ...(description && { description }), parameters } };
}
