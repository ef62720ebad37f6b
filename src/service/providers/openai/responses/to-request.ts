import type { ToolDefinition } from '../../../../contract/tool.js';
import { type Constraint, chooseConstraint } from '../../constraint.js';
import { chooseParameters } from '../../models/model-parameters.js';
import type { ModelTraits } from '../../models/model-traits.js';
import { demandCall } from '../../tool-choice.js';
import { toVendorSchema } from '../../tool-schema.js';
import type { RequestOptions, RequestSettings, VendorRequest } from '../../vendor.js';
import type { LimitedRequest } from '../../vendor-limits.js';
import { type InputItem, toInput, withoutBreakpoints } from './to-input.js';

interface PromptFields {
  readonly input: readonly InputItem[];
  readonly tools?: readonly object[];
  readonly tool_choice?: string | object;
}

/** Minimum output limit that OpenAI accepts. */
const MIN_OUTPUT_TOKENS = 16;

/** Maps the prompt and the tools to the Responses API. */
export function mapPrompt(
  { definitions, choice, prompt }: LimitedRequest,
  traits: ModelTraits,
): PromptFields {
  return {
    input: toInput(prompt, traits),
    tools: definitions.map(toTool),
    tool_choice: typeof choice === 'object' ? { type: 'function', ...choice } : choice,
  };
}

/**
 * Builds a request of the Responses API. The provider is told to store nothing; instead, it returns reasoning
 * encrypted, and the history carries it to the next step.
 */
export function toRequest(
  prompt: object,
  settings: RequestSettings,
  { traits, refused, streamed }: RequestOptions & { readonly traits: ModelTraits },
): VendorRequest {
  const { input, tools, tool_choice } = prompt as PromptFields; // created by `mapPrompt`
  const { nativeTools, model, maxOutputTokens, cacheKey } = settings;
  const breakpoints = traits.cacheBreakpoints && !refused.has('prompt_cache_breakpoint');
  const { sent, warnings } = chooseParameters(wantedParameters(settings, traits), refused);
  const summary = 'reasoning' in sent && settings.reasoningEffort !== 'none' && !refused.has(SUMMARY);
  const { constraint, warnings: dropped } = chooseConstraint(settings, traits, refused);
  const demand = demandCall(settings, refused);
  const optional = Object.entries({
    ...sent,
    ...(summary && { reasoning: { effort: settings.reasoningEffort, summary: 'auto' } }),
    max_output_tokens: Math.max(maxOutputTokens, MIN_OUTPUT_TOKENS),
    ...(traits.efforts.length > 0 && { include: ['reasoning.encrypted_content'] }),
    ...(traits.cacheKey && { prompt_cache_key: cacheKey }),
  }).filter(([name]) => !refused.has(name));
  const body = {
    model,
    input: traits.cacheBreakpoints && !breakpoints ? withoutBreakpoints(input) : input,
    store: false,
    ...Object.fromEntries(optional),
    ...(constraint && { text: { format: textFormat(constraint) } }),
    ...(nativeTools && { tools, tool_choice: demand.isDropped ? 'auto' : tool_choice }),
    ...(streamed && { stream: true }),
  };
  return {
    body,
    // The summary comes before `reasoning`, because an error message about `reasoning.summary` contains both names.
    strippable: [
      ...(summary ? [SUMMARY] : []),
      ...optional.map(([name]) => name),
      ...demand.strippable,
      ...(breakpoints ? ['prompt_cache_breakpoint'] : []),
    ],
    constraint,
    warnings: [...warnings, ...dropped, ...demand.warnings],
  };
}

const textFormat = ({ form, schema }: Constraint): object =>
  form === 'json_object'
    ? { type: 'json_object' }
    : { type: 'json_schema', name: 'reply', strict: true, schema };

function wantedParameters(
  { temperature, seed, reasoningEffort: effort }: RequestSettings,
  traits: ModelTraits,
) {
  const takesEffort = traits.efforts.some((each) => each === effort);
  return [
    { name: 'temperature', wire: 'temperature', value: temperature, isSupported: traits.temperature },
    {
      name: 'seed',
      wire: 'seed',
      value: seed,
      isSupported: false,
      reason: 'the Responses API, through which this model is called, has no such parameter',
    },
    { name: 'reasoningEffort', wire: 'reasoning', value: effort && { effort }, isSupported: takesEffort },
  ];
}

/**
 * Parameter that requests a visible summary of the reasoning. OpenAI refuses it to organisations that it has not
 * verified.
 */
const SUMMARY = 'reasoning.summary';

/** Converts a tool. `strict` is off because the schema is the caller's; the service checks the arguments itself. */
function toTool({ name, description, inputSchema }: ToolDefinition): object {
  const parameters = toVendorSchema(inputSchema);
  return { type: 'function', name, ...(description && { description }), parameters, strict: false };
}
