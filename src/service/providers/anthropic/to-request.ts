import type { TextBlockParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import type { ToolDefinition } from '../../../contract/tool.js';
import type { CompletionRequest } from '../../agent/provider.js';
import { type Constraint, constraintDropped, constraintOf, isRefused } from '../constraint.js';
import { chooseParameters } from '../models/model-parameters.js';
import type { ModelTraits } from '../models/model-traits.js';
import type { Draft, DraftOptions } from '../vendor.js';
import { inVendorNames, limitBreakpoints, MOST_BREAKPOINTS } from '../vendor-limits.js';
import { toMessages } from './to-messages.js';

const strippable = ['output_config', 'thinking'];

/** A Messages request. `max_tokens` is required; sampling parameters are gone from the API's types. */
export function toRequest(
  request: CompletionRequest,
  traits: ModelTraits,
  { refused, streamed }: DraftOptions,
): Draft {
  const { prompt, nativeTools } = request;
  const named = inVendorNames(request);
  const messages = limitBreakpoints(named.messages, MOST_BREAKPOINTS - Number(prompt.systemBreakpoint));
  const { sent, warnings } = chooseParameters(wantedParameters(request, traits), refused);
  const asked = constraintOf(request, traits);
  const constraint = asked && !isRefused(refused, asked) ? asked : undefined;
  const body = {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    ...(prompt.system !== '' && { system: [systemBlock(prompt.system, prompt.systemBreakpoint)] }),
    messages: toMessages(messages),
    ...sent,
    ...adaptiveThinking(sent, refused),
    ...(constraint && { output_config: withFormat(sent['output_config'], constraint) }),
    ...(nativeTools && {
      tools: named.definitions.map(toTool),
      tool_choice: { type: nativeTools.choice },
    }),
    ...(streamed && { stream: true }),
  };
  return {
    model: request.model,
    body,
    strippable: strippable.filter((key) => key in body && (key !== 'output_config' || key in sent)),
    constraint,
    warnings: [...warnings, ...(asked && !constraint ? [constraintDropped] : [])],
    ownToolName: named.ownToolName,
  };
}

/** The effort and the schema share one object. */
const withFormat = (config: unknown, { schema }: Constraint): object => ({
  ...(config ?? {}),
  format: { type: 'json_schema', schema },
});

function wantedParameters(
  { temperature, seed, reasoningEffort: effort }: CompletionRequest,
  traits: ModelTraits,
) {
  const taken = traits.efforts.some((each) => each === effort);
  return [
    { name: 'temperature', wire: 'temperature', value: temperature, taken: traits.temperature },
    { name: 'seed', wire: 'seed', value: seed, taken: traits.seed },
    effort === 'none'
      ? { name: 'reasoningEffort', wire: 'thinking', value: { type: 'disabled' }, taken }
      : { name: 'reasoningEffort', wire: 'output_config', value: effort && { effort }, taken },
  ];
}

/** A caller who asks for an effort wants the model to think, and to see what it thought. */
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
  input_schema: { ...inputSchema, type: 'object' },
});
