import { RequestError, type SessionConfigOption } from '@agentclientprotocol/sdk';
import type { Service } from '../../service/start.js';
import type { RunFlags } from '../commands/read-arguments.js';
import { UsageError } from '../commands/usage.js';
import { showExactLine } from '../screen/visible-text.js';
import { findKey, type ModelChoice, offlineModel } from '../session/choose-model.js';
import { connectTo } from '../session/network.js';
import { ollamaModels } from '../session/ollama.js';
import { checkedToken, startService, TOKEN_VARIABLE } from '../session/open-session.js';
import type { SessionModel } from './acp-session.js';

interface ServiceConnection {
  readonly url: string;
  readonly token: string | undefined;
  readonly local: Service | undefined;
}

/** The models that sessions can choose, and the one service they share, which starts with the first session. */
export class Models {
  static readonly optionId = 'model';
  readonly #flags: RunFlags;
  readonly #keys: NodeJS.ProcessEnv;
  #connection: Promise<ServiceConnection> | undefined;

  constructor(flags: RunFlags, keys: NodeJS.ProcessEnv) {
    this.#flags = flags;
    this.#keys = keys;
  }

  /** Opens a model by its option value; by default the model of the command line. Throws `RequestError`. */
  async open(value?: string): Promise<SessionModel> {
    const choices = await this.#choices();
    const choice = value === undefined ? this.#defaultModel() : choices.find((each) => idOf(each) === value);
    if (!choice) throw RequestError.invalidParams({ value }, `Unknown model: ${value}.`);
    const { url, token } = await this.#service();
    const client = connectTo({ baseUrl: url, token });
    const key = await findKey(choice, await client.models(), { environment: this.#keys }).catch(
      toRequestError,
    );
    return { choice, client: connectTo({ baseUrl: url, token, ...(key && { llmKey: key }) }) };
  }

  /** Returns the model setting with all models that the editor can offer. */
  async options(current: ModelChoice): Promise<SessionConfigOption[]> {
    const options = (await this.#choices()).map((choice) => ({
      value: idOf(choice),
      name: showExactLine(idOf(choice)),
      ...(choice.name === offlineModel.name && {
        description: 'Quotes passages from the files. No language model is called.',
      }),
    }));
    const id = Models.optionId;
    return [{ id, name: 'Model', category: 'model', type: 'select', currentValue: idOf(current), options }];
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.local?.close();
  }

  #defaultModel(): ModelChoice {
    const { model, upstream } = this.#flags;
    return model === undefined ? offlineModel : { name: model, upstream };
  }

  async #choices(): Promise<readonly ModelChoice[]> {
    const { url, token } = await this.#service();
    const { models } = await connectTo({ baseUrl: url, token }).models();
    const named = models.map(({ name }) => name).filter((name) => !name.includes('*'));
    const all: ModelChoice[] = [
      this.#defaultModel(),
      offlineModel,
      ...named.map((name) => ({ name, upstream: undefined })),
      ...(await ollamaModels()).map((name) => ({ name, upstream: 'ollama' })),
    ];
    return [...new Map(all.map((choice) => [idOf(choice), choice])).values()];
  }

  #service(): Promise<ServiceConnection> {
    this.#connection ??= this.#connect();
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

const idOf = ({ name, upstream }: ModelChoice): string => (upstream ? `${upstream}: ${name}` : name);

/**
 * Turns a `UsageError`, such as a missing key, into a request error with the same message. The code is not
 * `auth_required`: no sign-in method is offered, and some editors would then hide the message.
 */
export function toRequestError(error: unknown): never {
  if (error instanceof UsageError) throw RequestError.invalidRequest({}, error.message);
  throw error;
}
