import type { ModelList } from '../../contract/model-list.js';
import { keyProblem } from '../../network/key-form.js';
import { UsageError } from '../commands/usage.js';
import { findModelKey, keyVariables, rememberOrigin } from './model-key.js';

export interface ModelChoice {
  readonly name: string;
  readonly upstream: string | undefined;
}

export const offlineModel: ModelChoice = { name: 'offline', upstream: undefined };

/** The providers that the service finds by the name of a model. */
export const providersByName: readonly string[] = ['openai', 'anthropic', 'offline'];

/**
 * Converts a listed model to a choice. The choice names the provider only if it is an endpoint that the operator
 * configured.
 */
export const choiceOf = ({ name, provider }: ModelList['models'][number]): ModelChoice => ({
  name,
  upstream: providersByName.includes(provider) ? undefined : provider,
});

/** Notice for a run without a language model. */
export const offlineNotice =
  'No model was given: "offline" only searches the files. No language model is called.';

export interface KeySource {
  readonly environment: NodeJS.ProcessEnv;
  /** Asks the person for a key without showing it. Absent if there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/**
 * Returns the key for a model, or undefined if it needs none. Throws `UsageError` if a needed key is missing, or is
 * a placeholder or a text that cannot be a key; another model is never used instead.
 */
export async function findKey(
  choice: ModelChoice,
  models: ModelList,
  source: KeySource,
): Promise<string | undefined> {
  checkUpstream(choice, models);
  const found = findModelKey(choice.name, { upstream: choice.upstream, environment: source.environment });
  const isNeeded = needsKey(choice, models);
  if (found) return checkKey(found.key, { origin: found.variable, isNeeded });
  if (!isNeeded) return undefined;
  const answer = await source.ask?.(`Key for ${choice.upstream ?? choice.name} (not shown, not kept): `);
  if (answer) return checkKey(answer, { origin: 'The entered key', isNeeded });
  throw new UsageError(keyIsMissing(choice, models));
}

/**
 * Returns the key if it can be one. Otherwise returns undefined if the model needs no key; if it needs one, throws
 * `UsageError` before anything is sent, so that the person can correct the key.
 */
function checkKey(
  key: string,
  { origin, isNeeded }: { readonly origin: string; readonly isNeeded: boolean },
): string | undefined {
  const problem = keyProblem(key);
  if (problem === undefined) {
    rememberOrigin(origin);
    return key;
  }
  if (isNeeded) throw new UsageError(`${origin} ${problem}.`);
  return undefined;
}

function keyIsMissing({ name, upstream }: ModelChoice, models: ModelList): string {
  const variables = keyVariables(name, upstream);
  const needed = `The model ${name} needs a key: set ${variables.join(' or ')}.`;
  if (upstream || variables.length > 1) return needed;
  return `${needed} If it is served by a configured endpoint, name that with --upstream (${upstreamNames(models)}).`;
}

/** Throws `UsageError` if the service has no such endpoint. */
function checkUpstream({ upstream }: ModelChoice, models: ModelList): void {
  if (upstream === undefined || models.upstreams.some(({ name }) => name === upstream)) return;
  throw new UsageError(`There is no endpoint ${upstream}; --upstream can be: ${upstreamNames(models)}.`);
}

const upstreamNames = ({ upstreams }: ModelList): string => upstreams.map(({ name }) => name).join(', ');

function needsKey({ name, upstream }: ModelChoice, { upstreams }: ModelList): boolean {
  const configured = upstreams.find((each) => each.name === (upstream ?? name));
  return configured?.key_required ?? true;
}
