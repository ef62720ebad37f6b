import { isObject } from '../../../contract/fields.js';
import { textOf } from '../../../network/received-bytes.js';
import type { WireName } from '../../step/provider.js';
import { type GatewaySettings, gatewayHeaders, withQuery } from '../gateway-settings.js';
import { looksSecret } from '../secret.js';
import type { Transport } from './transport.js';

/** A server that needs no key, so that the service can request its list of models. */
interface ListingServer {
  readonly name: string;
  readonly url: string;
  readonly wire: WireName;
  readonly gateway: GatewaySettings;
}

/** Time limit for fetching a list. The result, a list or a failure, is cached for `KEPT_MS`. */
const TIMEOUT_MS = 2_000;
const KEPT_MS = 60_000;
const MAX_NAMES = 1_000;

/** Caches the model names that a server lists. Requests the list at most once a minute (rule: compatible-models). */
export class ListedModels {
  readonly #server: ListingServer;
  readonly #transport: () => Promise<Transport>;
  #asked: { readonly at: number; readonly names: Promise<readonly string[] | undefined> } | undefined;

  constructor(server: ListingServer, transport: () => Promise<Transport>) {
    this.#server = server;
    this.#transport = transport;
  }

  /** Returns the listed names; undefined if the server provides no list. */
  names(): Promise<readonly string[] | undefined> {
    const now = performance.now();
    if (!this.#asked || now - this.#asked.at > KEPT_MS)
      this.#asked = { at: now, names: this.#ask().catch(() => undefined) };
    return this.#asked.names;
  }

  async #ask(): Promise<readonly string[] | undefined> {
    const { name, url, wire, gateway } = this.#server;
    const path = wire === 'messages' ? 'v1/models' : 'models';
    const transport = await this.#transport();
    const answer = await transport.send({
      provider: name,
      url: withQuery(new URL(`${url.replace(/\/+$/, '')}/${path}`), gateway),
      headers: gatewayHeaders(gateway, undefined),
      ca: gateway.ca,
      body: null,
      streamed: false,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      observe: undefined,
    });
    const text = await textOf(answer);
    return answer.status < 400 ? namesIn(JSON.parse(text)) : undefined;
  }
}

/** Returns the names in a list in OpenAI's or Anthropic's format, without texts that cannot be a model's name. */
function namesIn(body: unknown): readonly string[] | undefined {
  const data = isObject(body) ? body['data'] : undefined;
  if (!Array.isArray(data)) return undefined;
  const ids = data.flatMap((each) => (isObject(each) && typeof each['id'] === 'string' ? [each['id']] : []));
  return [...new Set(ids.filter((id) => /^[\x21-\x7e]{1,256}$/.test(id) && !looksSecret(id)))].slice(
    0,
    MAX_NAMES,
  );
}
