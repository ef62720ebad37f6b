import type {
  ChatCompletionMessageParam,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
import type { ToolDefinition } from '../../../../contract/tool.js';
import { type Constraint, chooseConstraint } from '../../constraint.js';
import { chooseParameters } from '../../models/model-parameters.js';
import type { ModelTraits } from '../../models/model-traits.js';
import { demandCall } from '../../tool-choice.js';
import { toVendorSchema } from '../../tool-schema.js';
import type { RequestOptions, RequestSettings, VendorRequest } from '../../vendor.js';
import type { LimitedRequest } from '../../vendor-limits.js';
import { toMessages, withoutBreakpoints } from './to-messages.js';

/** The fields of a request body that contain the prompt. */
interface PromptFields {
  readonly messages: readonly ChatCompletionMessageParam[];
  readonly tools?: readonly ChatCompletionTool[];
  readonly tool_choice?: ChatCompletionToolChoiceOption;
}

/** Maps the prompt and the tools to OpenAI's format. */
export function mapPrompt(
  { definitions, choice, prompt }: LimitedRequest,
  traits: ModelTraits,
): PromptFields {
  return {
    messages: toMessages(prompt, traits),
    tools: definitions.map(toTool),
    tool_choice: typeof choice === 'object' ? { type: 'function', function: choice } : choice,
  };
}

/** Builds a Chat Completions request. Never sends `stop`, which newer models refuse with `unsupported_parameter`. */
export function toRequest(
  prompt: object,
  settings: RequestSettings,
  { traits, refused, streamed }: RequestOptions & { readonly traits: ModelTraits },
): VendorRequest {
  const { messages, tools, tool_choice } = prompt as PromptFields; // created by `mapPrompt`
  const breakpoints = traits.cacheBreakpoints && !refused.has('prompt_cache_breakpoint');
  const { sent, warnings } = chooseParameters(wantedParameters(settings, traits), refused);
  const { constraint, warnings: dropped } = chooseConstraint(settings, traits, refused);
  const demand = demandCall(settings, refused);
  const optional = Object.entries({
    ...sent,
    ...outputLimit(settings, traits, refused),
    ...(traits.cacheKey && { prompt_cache_key: settings.cacheKey }),
    ...(streamed && { stream_options: { include_usage: true } }),
  }).filter(([name]) => !refused.has(name));
  const body = {
    model: settings.model,
    messages: traits.cacheBreakpoints && !breakpoints ? withoutBreakpoints(messages) : messages,
    ...Object.fromEntries(optional),
    ...(constraint && { response_format: responseFormat(constraint) }),
    ...(settings.nativeTools && { tools, tool_choice: demand.isDropped ? 'auto' : tool_choice }),
    ...(streamed && { stream: true }),
  };
  const strippable = [
    ...optional.map(([name]) => name),
    ...demand.strippable,
    ...(breakpoints ? ['prompt_cache_breakpoint'] : []),
  ];
  return {
    body,
    strippable,
    constraint,
    warnings: [...warnings, ...dropped, ...demand.warnings],
  };
}

/** Returns OpenAI's form, or the form for llama.cpp and its bindings (docs/reference/constrained-output.md). */
function responseFormat({ form, schema }: Constraint): object {
  if (form === 'json_object') return { type: 'json_object' };
  if (form === 'llama') return { type: 'json_object', schema };
  return { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema } };
}

function wantedParameters(settings: RequestSettings, traits: ModelTraits) {
  const { temperature, seed, reasoningEffort: effort } = settings;
  const takesEffort = traits.efforts.some((each) => each === effort);
  return [
    { name: 'temperature', wire: 'temperature', value: temperature, isSupported: traits.temperature },
    { name: 'seed', wire: 'seed', value: seed, isSupported: traits.seed },
    { name: 'reasoningEffort', wire: 'reasoning_effort', value: effort, isSupported: takesEffort },
  ];
}

/**
 * Returns the output limit under the parameter name that the model expects; if the model refused that name, under
 * the other name.
 */
function outputLimit(
  { maxOutputTokens }: RequestSettings,
  { maxTokensParam }: ModelTraits,
  refused: ReadonlySet<string>,
): Record<string, number> {
  const names = [maxTokensParam, 'max_completion_tokens', 'max_tokens'];
  const name = names.find((each) => !refused.has(each));
  return name === undefined ? {} : { [name]: maxOutputTokens };
}

function toTool({ name, description, inputSchema }: ToolDefinition): ChatCompletionTool {
  const parameters = toVendorSchema(inputSchema);
  return { type: 'function', function: { name, ...(description && { description }), parameters } };
}
