import type { ModelList, StepRequestInput } from '../../sdk/index.js';

/** A model and its configured endpoint; without one, the service chooses by the model's name. */
export type ModelChoice = Pick<StepRequestInput['llm_config'], 'modelName' | 'provider'>;

/** Reports whether this is the offline model, which calls no language model. */
export const isOffline = ({ modelName, provider }: ModelChoice): boolean =>
  modelName === 'offline' && (provider || 'offline') === 'offline';

/** Returns true unless the service reports that the model needs no key. */
export function wantsKey(choice: ModelChoice, known: ModelList | null): boolean {
  const { modelName, provider } = choice;
  const upstream = provider || known?.models.find(({ name }) => name === modelName)?.provider;
  const wantsNone = known?.upstreams.some(({ name, key_required }) => name === upstream && !key_required);
  return !isOffline(choice) && !wantsNone;
}
