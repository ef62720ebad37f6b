import type { ModelList } from '../../contract/model-list.js';
import { UsageError } from '../commands/read-arguments.js';
import { findModelKey, keyVariable } from './model-key.js';

export interface ModelChoice {
  readonly name: string;
  readonly upstream: string | undefined;
}

export const offlineModel: ModelChoice = { name: 'offline', upstream: undefined };

/** What to say where no language model is called. */
export const offlineNotice =
  'No model was named: "offline" answers, an extractive searcher. No language model is called.';

export interface KeySource {
  readonly environment: NodeJS.ProcessEnv;
  /** Asks the person without showing what is typed; absent where nobody is there. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/**
 * The key for a model, or undefined where it needs none. Throws `UsageError` where it needs one and there is
 * none: another model is never taken instead.
 */
export async function findKey(
  choice: ModelChoice,
  models: ModelList,
  source: KeySource,
): Promise<string | undefined> {
  const key = findModelKey(choice.name, { upstream: choice.upstream, environment: source.environment });
  if (key || !needsKey(choice, models)) return key;
  const answer = await source.ask?.(`Key for ${choice.upstream ?? choice.name} (not shown, not kept): `);
  if (answer) return answer;
  const vendor = choice.upstream ? undefined : keyVariable(choice.name);
  throw new UsageError(
    `The model ${choice.name} needs a key: set ${['STEPWISE_LLM_KEY', vendor].filter(Boolean).join(' or ')}.`,
  );
}

function needsKey({ name, upstream }: ModelChoice, { upstreams }: ModelList): boolean {
  const configured = upstreams.find((each) => each.name === (upstream ?? name));
  return configured?.key_required ?? true;
}
