import type { ModelInfo } from '@anthropic-ai/sdk/resources/models';
import type { Model } from 'openai/resources/models';

/** A model in the list. `id` is the name that requests use. */
export interface ListedModel {
  readonly id: string;
  readonly upstream: string;
}

/** Creation time of every model in the list, because upstreams do not report it. */
const UNKNOWN_TIME = { seconds: 0, text: '1970-01-01T00:00:00Z' };

/** Writes the list of models in OpenAI's shape, or in Anthropic's (rule: compatible-models). */
export function writeModels(models: readonly ListedModel[], isOfAnthropic: boolean): object {
  const data = models.map((model) => writeModel(model, isOfAnthropic));
  if (!isOfAnthropic) return { object: 'list', data };
  return { data, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null };
}

/** Writes one model of the list in OpenAI's shape or in Anthropic's. */
export function writeModel({ id, upstream }: ListedModel, isOfAnthropic: boolean): Model | ModelInfo {
  return isOfAnthropic
    ? { type: 'model', id, display_name: id, created_at: UNKNOWN_TIME.text, ...unknownFacts }
    : { id, object: 'model', created: UNKNOWN_TIME.seconds, owned_by: upstream };
}

/** The further fields of Anthropic's models, which upstreams do not report. */
const unknownFacts = {
  capabilities: null,
  deprecated_at: null,
  lifecycle: 'active',
  line: null,
  max_input_tokens: null,
  max_tokens: null,
  retires_at: null,
} as const;
