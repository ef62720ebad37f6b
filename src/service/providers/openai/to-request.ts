import type { ChatCompletionTool } from 'openai/resources/chat/completions';
import type { ToolDefinition } from '../../../contract/tool.js';
import type { CompletionRequest } from '../../agent/provider.js';
import { chooseParameters } from '../choose-parameters.js';
import type { ModelTraits } from '../model-traits.js';
import type { Draft, DraftOptions } from '../vendor.js';
import { inVendorNames } from '../vendor-names.js';
import { toMessages } from './to-messages.js';

/** Body keys without which the request means the same, or nearly. */
const strippable = [
  'temperature',
  'seed',
  'reasoning_effort',
  'prompt_cache_key',
  'prompt_cache_breakpoint',
  'max_completion_tokens',
  'max_tokens',
  'stream_options',
];

/** A Chat Completions request. Never sends `stop`: newer models refuse it (openai error `unsupported_parameter`). */
export function toRequest(
  request: CompletionRequest,
  traits: ModelTraits,
  { refused, streamed }: DraftOptions,
): Draft {
  const named = inVendorNames(request);
  const breakpoints = traits.cacheBreakpoints && !refused.has('prompt_cache_breakpoint');
  const { sent, warnings } = chooseParameters(wantedParameters(request, traits), refused);
  const body = {
    model: request.model,
    messages: toMessages({ ...request.prompt, messages: named.messages }, breakpoints),
    ...sent,
    ...outputLimit(request, traits, refused),
    ...(traits.cacheKey && !refused.has('prompt_cache_key') && { prompt_cache_key: request.cacheKey }),
    ...(request.nativeTools && {
      tools: named.definitions.map(toTool),
      tool_choice: request.nativeTools.choice,
    }),
    ...(streamed && { stream: true }),
    ...(streamed && !refused.has('stream_options') && { stream_options: { include_usage: true } }),
  };
  const { ownToolName } = named;
  const sentKeys = strippable.filter(
    (key) => key in body || (key === 'prompt_cache_breakpoint' && breakpoints),
  );
  return { model: request.model, body, strippable: sentKeys, warnings, ownToolName };
}

function wantedParameters(request: CompletionRequest, traits: ModelTraits) {
  const { temperature, seed, nativeTools } = request;
  const withoutReasoning = traits.toolsWithoutReasoning && nativeTools !== undefined;
  const effort = request.reasoningEffort ?? (withoutReasoning ? 'none' : undefined);
  const takesEffort = withoutReasoning ? effort === 'none' : traits.efforts.some((each) => each === effort);
  return [
    { name: 'temperature', wire: 'temperature', value: temperature, taken: traits.temperature },
    { name: 'seed', wire: 'seed', value: seed, taken: traits.seed },
    { name: 'reasoningEffort', wire: 'reasoning_effort', value: effort, taken: takesEffort },
  ];
}

/** Under the name the model takes; where it refuses one, under the other. */
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
