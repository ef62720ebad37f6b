import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Has the server listen on a free port of loopback; its origin, as `http://127.0.0.1:PORT`. */
export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
