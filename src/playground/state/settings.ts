import { computed, signal } from '@preact/signals';
import { type ModelList, StepwiseClient } from '../../sdk/index.js';
import { finishedFetch } from '../requests/finished-fetch.js';
import { isOffline as isOfflineModel, wantsKey } from '../run/model-access.js';
import type { RunSettings } from '../run/run-options.js';

/** The person's settings, in memory only because they include keys. A reload discards them. */
export const modelKey = signal('');
export const serviceToken = signal('');

export const settings = signal<RunSettings>({
  model: 'offline',
  upstream: '',
  protocol: 'text',
  strategy: 'react',
  maxSteps: 10,
  instructions: '',
  tokenLimit: 32_000,
  reserveShare: 0.125,
  contextShare: 0.5,
  tagged: [],
  pinned: [],
  focus: null,
  disabledTools: [],
});

export const change = (changes: Partial<RunSettings>): void => {
  settings.value = { ...settings.value, ...changes };
};

/** Returns undefined for a token that cannot be sent in a header; the service then reports that it is missing. */
const sendable = (secret: string): string | undefined => {
  const trimmed = secret.trim();
  return /^[\x21-\x7e]+$/.test(trimmed) ? trimmed : undefined;
};

const serviceAccess = computed(() => ({
  baseUrl: location.origin,
  token: sendable(serviceToken.value),
}));

/** Client for requests that call no model, so it never sends the model's key. */
export const keylessClient = computed(() => new StepwiseClient(serviceAccess.value));

/** Client for runs, which sends the model's key. */
export const client = computed(
  () =>
    new StepwiseClient({
      ...serviceAccess.value,
      llmKey: needsKey.value ? sendable(modelKey.value) : undefined,
      fetch: finishedFetch,
    }),
);

export const models = signal<ModelList | null>(null);

/** Protocols that the service knows to work with the model; null if any may be tried. */
export const protocols = computed(() => {
  const { model, upstream: chosen } = settings.value;
  const known = models.value?.models.find(
    ({ name, provider }) => name === model && (chosen === '' || provider === chosen),
  );
  return known?.protocols ?? null;
});

const choice = computed(() => ({ modelName: settings.value.model, provider: settings.value.upstream }));
export const isOffline = computed(() => isOfflineModel(choice.value));

/** False if the service needs no key for this model; then the page sends none. */
export const needsKey = computed(() => wantsKey(choice.value, models.value));

/** Explains which setting is missing for a run; null if none is. */
export const missing = computed(() => {
  if (settings.value.model.trim() === '') return 'Choose a model.';
  if (needsKey.value && modelKey.value.trim() === '') return 'This model needs a key: enter it under Model.';
  return null;
});
