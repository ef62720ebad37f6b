import { createServer, type Socket } from 'node:net';

/** A response whose bytes are written to the connection unchanged. */
export interface EndlessResponse {
  readonly start: string;
  /** Returns the next bytes of the endless body. */
  readonly next: () => string;
}

/** A server on loopback whose responses never end. It sends as fast as the other side reads. */
export interface EndlessUpstream {
  readonly url: string;
  /**
   * Returns the number of bytes sent of the newest response: those that the other side has read, and those in
   * socket buffers.
   */
  sentBytes(): number;
  /** Resolves when the other side closes the newest connection. */
  closed(): Promise<void>;
  respondWith(response: EndlessResponse): void;
  close(): void;
}

export async function startEndlessUpstream(): Promise<EndlessUpstream> {
  let response: EndlessResponse = { start: '', next: () => '' };
  let sent = 0;
  let closed: Promise<void> = Promise.resolve();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const { start, next } = response;
    sent = 0;
    closed = new Promise((resolve) => socket.on('error', () => {}).once('close', () => resolve()));
    const write = (text: string): boolean => {
      sent += Buffer.byteLength(text);
      return socket.write(text);
    };
    const go = (): void => {
      while (!socket.destroyed) if (!write(next())) return void socket.once('drain', go);
    };
    socket.once('data', () => {
      write(start);
      go();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    sentBytes: () => sent,
    closed: () => closed,
    respondWith(next) {
      response = next;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
