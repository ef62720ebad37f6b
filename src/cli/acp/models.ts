import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk';
import { StepwiseClient } from '../../sdk/client/stepwise-client.js';
import type { Service } from '../../service/start.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { UsageError } from '../commands/usage.js';
import { showExactLine } from '../screen/shown-text.js';
import { findKey, type ModelChoice, offlineModel } from '../session/choose-model.js';
import { ollamaModels } from '../session/ollama.js';
import { checkedToken, startService, TOKEN_VARIABLE } from '../session/open-session.js';
import type { SessionModel } from './acp-session.js';

interface Reached {
  readonly url: string;
  readonly token: string | undefined;
  readonly local: Service | undefined;
}

/** The models that sessions may choose from, and the one service that reaches them: started with the first session. */
export class Models {
  static readonly optionId = 'model';
  readonly #flags: RunFlags;
  readonly #keys: NodeJS.ProcessEnv;
  #reached: Promise<Reached> | undefined;

  constructor(flags: RunFlags, keys: NodeJS.ProcessEnv) {
    this.#flags = flags;
    this.#keys = keys;
  }

  /** By its value among the options; without one, the model of the command line. Throws `RequestError`. */
  async open(value?: string): Promise<SessionModel> {
    const choices = await this.#choices();
    const choice = value === undefined ? this.#first() : choices.find((each) => idOf(each) === value);
    if (!choice) throw RequestError.invalidParams({ value }, `There is no model ${value}.`);
    const { url, token } = await this.#service();
    const client = new StepwiseClient({ baseUrl: url, token });
    const key = await findKey(choice, await client.models(), { environment: this.#keys }).catch(inItsWords);
    return { choice, client: new StepwiseClient({ baseUrl: url, token, ...(key && { llmKey: key }) }) };
  }

  /** What an editor shows to choose from. */
  async options(current: ModelChoice): Promise<SessionConfigOption[]> {
    const options = (await this.#choices()).map((choice) => ({
      value: idOf(choice),
      name: showExactLine(idOf(choice)),
      ...(choice.name === offlineModel.name && {
        description: 'Quotes the files; no language model is called.',
      }),
    }));
    const id = Models.optionId;
    return [{ id, name: 'Model', category: 'model', type: 'select', currentValue: idOf(current), options }];
  }

  async close(): Promise<void> {
    const reached = await this.#reached?.catch(() => undefined);
    await reached?.local?.close();
  }

  #first(): ModelChoice {
    const { model, upstream } = this.#flags;
    return model === undefined ? offlineModel : { name: model, upstream };
  }

  async #choices(): Promise<readonly ModelChoice[]> {
    const { url, token } = await this.#service();
    const { models } = await new StepwiseClient({ baseUrl: url, token }).models();
    const named = models.map(({ name }) => name).filter((name) => !name.includes('*'));
    const all: ModelChoice[] = [
      this.#first(),
      offlineModel,
      ...named.map((name) => ({ name, upstream: undefined })),
      ...(await ollamaModels()).map((name) => ({ name, upstream: 'ollama' })),
    ];
    return [...new Map(all.map((choice) => [idOf(choice), choice])).values()];
  }

  #service(): Promise<Reached> {
    this.#reached ??= this.#reach();
    return this.#reached;
  }

  async #reach(): Promise<Reached> {
    const { server, token } = this.#flags;
    if (server !== undefined)
      return {
        url: server,
        token: checkedToken(token || this.#keys[TOKEN_VARIABLE] || undefined),
        local: undefined,
      };
    const local = await startService();
    return { url: local.url, token: undefined, local };
  }
}

const idOf = ({ name, upstream }: ModelChoice): string => (upstream ? `${upstream}: ${name}` : name);

/**
 * What the person set wrongly, such as `--tools` or no key, for the editor to show. Not `auth_required`: no way to sign in is
 * offered, and some editors then show neither the sentence nor a way out.
 */
export function inItsWords(error: unknown): never {
  if (error instanceof UsageError) throw RequestError.invalidRequest({}, error.message);
  throw error;
}
