import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves on a free loopback port. Resolves to the URL. Connections stay open between requests. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: 120_000 }, listener);
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
}
