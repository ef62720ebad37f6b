import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Makes the server listen on a free loopback port and returns its origin, such as `http://127.0.0.1:PORT`. */
export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // Cast: a server that listens on a port has an AddressInfo.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
