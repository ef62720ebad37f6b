import { computed, signal } from '@preact/signals';
import { type ModelList, StepwiseClient } from '../../sdk/index.js';
import { isOffline as isOfflineModel, wantsKey } from '../run/model-access.js';
import type { RunSettings } from '../run/run-options.js';

/** What a person has set; in memory only, since keys are among it. A reload forgets all of it. */
export const modelKey = signal('');
export const serviceToken = signal('');

export const settings = signal<RunSettings>({
  model: 'offline',
  upstream: '',
  protocol: 'text',
  strategy: 'react',
  maxSteps: 10,
  instructions: '',
  tokenLimit: 8_000,
  reservedOutputTokens: 1_500,
  contextShare: 0.5,
  tagged: [],
  pinned: [],
  focus: null,
  disabledTools: [],
});

export const change = (changes: Partial<RunSettings>): void => {
  settings.value = { ...settings.value, ...changes };
};

/** A token with which no client can be made is as good as none: the service says so. */
const sendable = (secret: string): string | undefined => {
  const trimmed = secret.trim();
  return /^[\x21-\x7e]+$/.test(trimmed) ? trimmed : undefined;
};

const serviceAccess = computed(() => ({
  baseUrl: location.origin,
  token: sendable(serviceToken.value),
}));

/** For all that calls no model: what is asked of it needs no key, so it has none to send. */
export const keylessClient = computed(() => new StepwiseClient(serviceAccess.value));

/** For runs alone. */
export const client = computed(
  () =>
    new StepwiseClient({
      ...serviceAccess.value,
      llmKey: needsKey.value ? sendable(modelKey.value) : undefined,
    }),
);

export const models = signal<ModelList | null>(null);

/** What the model may be taught, where the service knows it; null where every protocol may be tried. */
export const protocols = computed(() => {
  const { model, upstream: chosen } = settings.value;
  const known = models.value?.models.find(
    ({ name, provider }) => name === model && (chosen === '' || provider === chosen),
  );
  return known?.protocols ?? null;
});

const choice = computed(() => ({ modelName: settings.value.model, provider: settings.value.upstream }));
export const isOffline = computed(() => isOfflineModel(choice.value));

/** Where the service wants none, the key stays here. */
export const needsKey = computed(() => wantsKey(choice.value, models.value));

/** What stands between the settings and a run, in words; null if nothing does. */
export const missing = computed(() => {
  if (settings.value.model.trim() === '') return 'Choose a model.';
  if (needsKey.value && modelKey.value.trim() === '') return 'This model needs a key.';
  return null;
});
