import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import type { ModelList } from '../../contract/model-list.js';
import type { StepwiseClient } from '../../sdk/client/stepwise-client.js';
import type { Service } from '../../service/start.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { showExactLine } from '../screen/visible-text.js';
import { choiceOf, findKey, type ModelChoice, offlineModel } from '../session/choose-model.js';
import { connectTo } from '../session/network.js';
import { ollamaModels } from '../session/ollama.js';
import { checkedToken, startService, TOKEN_VARIABLE } from '../session/open-session.js';
import { invalidParams, toRequestError } from './request-errors.js';

/** The model of a session and a client that sends its API key. */
export interface SessionModel {
  readonly choice: ModelChoice;
  readonly client: StepwiseClient;
}

interface ServiceConnection {
  readonly url: string;
  readonly token: string | undefined;
  readonly local: Service | undefined;
}

/** Id of the setting that chooses the model. */
export const MODEL_OPTION = 'model';

/**
 * The models that sessions can choose from, and the service that all sessions share; it starts with the first
 * session.
 */
export class Models {
  readonly #flags: RunFlags;
  readonly #keys: NodeJS.ProcessEnv;
  #connection: Promise<ServiceConnection> | undefined;

  constructor(flags: RunFlags, keys: NodeJS.ProcessEnv) {
    this.#flags = flags;
    this.#keys = keys;
  }

  /**
   * Opens a model; by default that of the command line. Throws `RequestError` if its key is missing or the service
   * cannot be reached.
   */
  async open(choice: ModelChoice = this.#defaultModel()): Promise<SessionModel> {
    const { url, token } = await this.#service();
    const models = await this.#servedModels();
    const key = await findKey(choice, models, { environment: this.#keys }).catch(toRequestError);
    return { choice, client: connectTo({ baseUrl: url, token, ...(key && { llmKey: key }) }) };
  }

  /** Opens the model that an option value names. Throws `RequestError`. */
  async openNamed(value: string, current: ModelChoice): Promise<SessionModel> {
    const choice = (await this.#choices(current)).find((each) => nameOf(each) === value);
    if (!choice) throw invalidParams(`Unknown model: ${showExactLine(value)}.`, { value });
    return this.open(choice);
  }

  /** Returns the option values of all models that the editor can offer, the current one included. */
  async names(current: ModelChoice): Promise<readonly string[]> {
    return (await this.#choices(current)).map(nameOf);
  }

  /** Returns the model setting with all models that the editor can offer. */
  async option(current: ModelChoice): Promise<SessionConfigOption> {
    const options = (await this.names(current)).map((value) => ({
      value,
      name: showExactLine(value),
      ...(value === offlineModel.name && {
        description: 'Quotes passages from the files. No language model is called.',
      }),
    }));
    return {
      id: MODEL_OPTION,
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: nameOf(current),
      options,
    };
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.local?.close();
  }

  #defaultModel(): ModelChoice {
    const { model, upstream } = this.#flags;
    return model === undefined ? offlineModel : { name: model, upstream };
  }

  async #choices(current: ModelChoice): Promise<readonly ModelChoice[]> {
    const { models } = await this.#servedModels();
    const named = models.filter(({ name }) => !name.includes('*'));
    const all: ModelChoice[] = [
      this.#defaultModel(),
      offlineModel,
      ...named.map(choiceOf),
      ...(await ollamaModels()).map((name) => ({ name, upstream: 'ollama' })),
      current,
    ];
    return [...new Map(all.map((choice) => [nameOf(choice), choice])).values()];
  }

  async #servedModels(): Promise<ModelList> {
    const { url, token } = await this.#service();
    return connectTo({ baseUrl: url, token }).models().catch(toRequestError);
  }

  #service(): Promise<ServiceConnection> {
    this.#connection ??= this.#connect().catch(toRequestError);
    return this.#connection;
  }

  async #connect(): Promise<ServiceConnection> {
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

/** Returns the option value of a model. */
export const nameOf = ({ name, upstream }: ModelChoice): string => (upstream ? `${upstream}: ${name}` : name);
