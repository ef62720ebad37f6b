import type { MessageParam, TextBlockParam, Tool, ToolChoice } from '@anthropic-ai/sdk/resources/messages';
import type { ToolDefinition } from '../../../contract/tool.js';
import { type Constraint, chooseConstraint } from '../constraint.js';
import { chooseParameters } from '../models/model-parameters.js';
import type { ModelTraits } from '../models/model-traits.js';
import { demandCall } from '../tool-choice.js';
import { toVendorSchema } from '../tool-schema.js';
import type { RequestOptions, RequestSettings, VendorRequest } from '../vendor.js';
import type { LimitedRequest } from '../vendor-limits.js';
import { toMessages } from './to-messages.js';

const strippable = ['temperature', 'output_config', 'thinking'];

/** The fields of a request body that contain the prompt. */
interface PromptFields {
  readonly system?: readonly TextBlockParam[];
  readonly messages: readonly MessageParam[];
  readonly tools?: readonly Tool[];
  readonly tool_choice?: ToolChoice;
}

/** Maps the prompt and the tools to Anthropic's format. */
export function mapPrompt({ definitions, choice, prompt }: LimitedRequest): PromptFields {
  const { system, systemBreakpoint, messages } = prompt;
  return {
    ...(system !== '' && { system: [systemBlock(system, systemBreakpoint)] }),
    messages: toMessages(messages),
    tools: definitions.map(toTool),
    tool_choice: toChoice(choice),
  };
}

/** Builds a request of the Messages API, which requires `max_tokens`. */
export function toRequest(
  prompt: object,
  settings: RequestSettings,
  { traits, refused, streamed }: RequestOptions & { readonly traits: ModelTraits },
): VendorRequest {
  const { system, messages, tools, tool_choice } = prompt as PromptFields; // created by `mapPrompt`
  const { nativeTools } = settings;
  const { sent, warnings } = chooseParameters(wantedParameters(settings, traits), refused);
  const { constraint, warnings: dropped } = chooseConstraint(settings, traits, refused);
  const thinking = adaptiveThinking(sent, refused);
  // With thinking enabled, models refuse a `tool_choice` that requires a call.
  const demand = demandCall(settings, refused, { canCombine: !('thinking' in thinking) });
  const body = {
    model: settings.model,
    max_tokens: settings.maxOutputTokens,
    ...(system && { system }),
    messages,
    ...sent,
    ...thinking,
    ...(constraint && { output_config: withFormat(sent['output_config'], constraint) }),
    ...(nativeTools && { tools, tool_choice: demand.isDropped ? { type: 'auto' } : tool_choice }),
    ...(streamed && { stream: true }),
  };
  return {
    body,
    strippable: [
      ...demand.strippable,
      ...strippable.filter((key) => key in body && (key !== 'output_config' || key in sent)),
    ],
    constraint,
    warnings: [...warnings, ...dropped, ...demand.warnings],
  };
}

function toChoice(choice: LimitedRequest['choice']): ToolChoice {
  if (typeof choice === 'object') return { type: 'tool', ...choice };
  return { type: choice === 'required' ? 'any' : choice };
}

/** Adds the reply's schema to `output_config`, which also contains the reasoning effort. */
const withFormat = (config: unknown, { schema }: Constraint): object => ({
  ...(config ?? {}),
  format: { type: 'json_schema', schema },
});

function wantedParameters(
  { temperature, seed, reasoningEffort: effort }: RequestSettings,
  traits: ModelTraits,
) {
  const isSupported = traits.efforts.some((each) => each === effort);
  const thinks = isSupported && effort !== 'none';
  return [
    {
      name: 'temperature',
      wire: 'temperature',
      value: temperature,
      isSupported: traits.temperature && !thinks,
      ...(thinks && { reason: 'the model does not support it together with reasoning' }),
    },
    { name: 'seed', wire: 'seed', value: seed, isSupported: traits.seed },
    effort === 'none'
      ? { name: 'reasoningEffort', wire: 'thinking', value: { type: 'disabled' }, isSupported }
      : { name: 'reasoningEffort', wire: 'output_config', value: effort && { effort }, isSupported },
  ];
}

/** Requests visible thinking if the caller asked for a reasoning effort. */
function adaptiveThinking(sent: object, refused: ReadonlySet<string>) {
  const wanted = 'output_config' in sent && !refused.has('thinking');
  return wanted ? { thinking: { type: 'adaptive', display: 'summarized' } } : {};
}

const systemBlock = (text: string, breakpoint: boolean): TextBlockParam => ({
  type: 'text',
  text,
  ...(breakpoint && { cache_control: { type: 'ephemeral' } }),
});

const toTool = ({ name, description, inputSchema }: ToolDefinition): Tool => ({
  name,
  ...(description && { description }),
  input_schema: toVendorSchema(inputSchema),
});
