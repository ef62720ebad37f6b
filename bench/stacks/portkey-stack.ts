import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { importPeer } from '../peers.js';

/**
 * Starts the gateway Portkey as its own command does, but without its log page. Each request names its upstream in
 * headers.
 */
export async function startPortkeyStack(): Promise<string> {
  const port = await freePort();
  process.argv.push(`--port=${port}`, '--headless');
  await importPeer('@portkey-ai/gateway/build/start-server.js');
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) await sleep(50);
  return url;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A server that listens on TCP has an AddressInfo.
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
