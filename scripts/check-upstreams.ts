/**
 * Runs two steps through real gateways in front of the scripted provider, and two with a real model, and prints a
 * table. Arguments name the gateways to try (`litellm`, `portkey`, `llama`; default: all). They are installed in
 * fixed versions below node_modules/.cache, and everything runs on loopback. Exits with 1 if a run failed.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FakeProvider, startFakeProvider } from '../src/offline/fake-provider.js';
import { readConfig } from '../src/service/settings/config.js';
import { type Service, startService } from '../src/service/start.js';
import { type Gateway, gateways, type Route, startLlama } from './upstreams/gateways.js';
import { faultOf, type Row, tableOf } from './upstreams/report.js';
import { runSmallModel } from './upstreams/small-model.js';
import { runTwoSteps } from './upstreams/two-steps.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.cache/upstreams');

const forms = [false, true];

const startWith = (upstreams: Readonly<Record<string, unknown>>): Promise<Service> =>
  startService(
    readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      OFFLINE_MODEL: 'off',
      STEP_DEADLINE_MS: '300000',
      UPSTREAMS: JSON.stringify(upstreams),
    }),
  );

const nameOf = ({ wire, backend }: Route): string => `${wire}-${backend}`;

async function tryGateway(gateway: Gateway, fake: FakeProvider): Promise<Row[]> {
  const running = await gateway.start(fake.url, folder);
  const service = await startWith(
    Object.fromEntries(running.routes.map((route) => [nameOf(route), route.upstream])),
  );
  const rows: Row[] = [];
  try {
    for (const route of running.routes)
      for (const protocol of ['text', 'xml', 'json', 'native'] as const)
        for (const streamed of forms) {
          const place = { serviceUrl: service.url, provider: nameOf(route), fake };
          const outcome = await runTwoSteps({ route, protocol, streamed }, place);
          const way = `${route.wire} → ${route.backend}`;
          rows.push({ gateway: gateway.name, way, protocol, streamed, outcome });
        }
  } finally {
    await service.close();
    await running.stop();
  }
  return rows;
}

async function tryLlama(): Promise<Row[]> {
  const llama = await startLlama(folder);
  const service = await startWith({
    chat: { url: `${llama.url}/v1`, structured: 'llama' },
    responses: { url: `${llama.url}/v1`, wire: 'responses' },
    messages: { url: llama.url, wire: 'messages' },
  });
  const rows: Row[] = [];
  try {
    for (const provider of ['chat', 'responses', 'messages'])
      for (const protocol of provider === 'chat'
        ? (['text', 'json', 'native'] as const)
        : (['native'] as const))
        for (const streamed of forms) {
          const outcome = await runSmallModel({ provider, protocol, streamed }, service.url);
          rows.push({ gateway: 'llama.cpp', way: provider, protocol, streamed, outcome });
        }
  } finally {
    await service.close();
    await llama.stop();
  }
  return rows;
}

async function tryAll(wanted: (name: string) => boolean): Promise<Row[]> {
  const fake = await startFakeProvider();
  const rows: Row[] = [];
  try {
    for (const gateway of gateways)
      if (gateway.name === 'direct' || wanted(gateway.name.toLowerCase()))
        rows.push(...(await tryGateway(gateway, fake)));
  } finally {
    await fake.close();
  }
  return wanted('llama') ? [...rows, ...(await tryLlama())] : rows;
}

const names = process.argv.slice(2);
const rows = await tryAll((name) => names.length === 0 || names.includes(name));
console.log(tableOf(rows));
const failed = rows.filter((row) => faultOf(row, rows) !== undefined);
console.log(`${rows.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;
