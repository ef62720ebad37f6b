import type { ModelList, StepRequestInput } from '../../sdk/index.js';

/** A model, and the configured endpoint it is asked at; without one the service decides by the model's name. */
export type ModelChoice = Pick<StepRequestInput['llm_config'], 'modelName' | 'provider'>;

/** Whether it is the one that calls no language model. */
export const isOffline = ({ modelName, provider }: ModelChoice): boolean =>
  modelName === 'offline' && (provider || 'offline') === 'offline';

/** Whether a call to the model is to carry a key: unless the service says that it wants none. */
export function wantsKey(choice: ModelChoice, known: ModelList | null): boolean {
  const { modelName, provider } = choice;
  const upstream = provider || known?.models.find(({ name }) => name === modelName)?.provider;
  const wantsNone = known?.upstreams.some(({ name, key_required }) => name === upstream && !key_required);
  return !isOffline(choice) && !wantsNone;
}
