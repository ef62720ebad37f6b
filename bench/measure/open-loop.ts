import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Each takes one request at a time; a caller who finds none free opens one. */
const MOST_CONNECTIONS = 3_000;
const TICK_MS = 5;

export interface OpenLoopOptions {
  readonly url: string;
  /** Each is sent again and again. */
  readonly bodies: readonly string[];
  readonly perSecond: number;
  /** Not counted, at the beginning: as many wait by its end as ever will. */
  readonly settlingMs: number;
  readonly countedMs: number;
}

/** A second's worth of what was counted. */
export interface OpenLoad {
  readonly sent: number;
  /** By status. */
  readonly answers: ReadonlyMap<number, number>;
}

/**
 * Sends at a rate, come what may, and far cheaper than it is answered: the requests are bytes made before, written to bare
 * sockets, and of the answers only the status and the length are read. A client that costs what the service costs would offer
 * as much as is answered, and no more.
 */
export async function openLoop({
  perSecond,
  settlingMs,
  countedMs,
  ...target
}: OpenLoopOptions): Promise<OpenLoad> {
  const begin = performance.now() + settlingMs;
  const end = begin + countedMs;
  const isCounted = (now: number): boolean => now >= begin && now < end;
  const answers = new Map<number, number>();
  const callers = new Callers(target, (status) => {
    if (isCounted(performance.now())) answers.set(status, (answers.get(status) ?? 0) + 1);
  });
  let sent = 0;
  let owed = 0;
  for (let last = performance.now(); last < end; ) {
    await sleep(TICK_MS);
    const now = performance.now();
    owed += ((now - last) / 1_000) * perSecond;
    last = now;
    // What nobody could send is not sent later: it would be another rate.
    for (; owed >= 1; owed -= 1) if (callers.send() && isCounted(now)) sent += 1;
  }
  await callers.leave();
  const seconds = countedMs / 1_000;
  return { sent: sent / seconds, answers: new Map([...answers].map(([status, n]) => [status, n / seconds])) };
}

class Callers {
  readonly #address: { readonly host: string; readonly port: number };
  readonly #requests: readonly Buffer[];
  readonly #answered: (status: number) => void;
  readonly #free: Socket[] = [];
  readonly #open = new Set<Socket>();
  #next = 0;

  constructor({ url, bodies }: Pick<OpenLoopOptions, 'url' | 'bodies'>, answered: (status: number) => void) {
    const { hostname, port, host, pathname } = new URL(url);
    this.#address = { host: hostname, port: Number(port) };
    this.#requests = bodies.map((body) => requestOf(body, { host, path: pathname }));
    this.#answered = answered;
  }

  /** False if all connections are waiting. */
  send(): boolean {
    const socket = this.#free.pop() ?? this.#connect();
    socket?.write(this.#requests[this.#next++ % this.#requests.length] ?? '');
    return socket !== undefined;
  }

  async leave(): Promise<void> {
    const closed = [...this.#open].map((socket) => once(socket, 'close'));
    for (const socket of this.#open) socket.destroy();
    await Promise.all(closed);
  }

  #connect(): Socket | undefined {
    if (this.#open.size >= MOST_CONNECTIONS) return undefined;
    const socket = connect({ ...this.#address, noDelay: true });
    const answer = new ArrivingAnswer();
    this.#open.add(socket);
    return socket
      .on('data', (bytes) => {
        if (!answer.take(bytes)) return;
        this.#answered(answer.status);
        this.#free.push(socket);
      })
      .on('error', () => {}) // it closes as well
      .on('close', () => {
        this.#open.delete(socket);
        const place = this.#free.indexOf(socket);
        if (place >= 0) this.#free.splice(place, 1);
      });
  }
}

function requestOf(body: string, { host, path }: { readonly host: string; readonly path: string }): Buffer {
  const length = Buffer.byteLength(body);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
  );
}

/** As much of an answer as tells what it says and where it ends. */
class ArrivingAnswer {
  status = 0;
  /** Of the body; undefined before it begins, infinite if it is chunked. */
  #left: number | undefined;
  #head = '';

  /** Whether the answer is whole with these bytes. */
  take(bytes: Buffer): boolean {
    const body = this.#left === undefined ? this.#takeHead(bytes) : bytes;
    if (this.#left === undefined) return false;
    this.#left -= body.length;
    const isWhole = Number.isFinite(this.#left) ? this.#left <= 0 : body.subarray(-5).equals(lastChunk);
    if (isWhole) this.#left = undefined;
    return isWhole;
  }

  /** What came after the head. */
  #takeHead(bytes: Buffer): Buffer {
    const text = this.#head + bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#head = text;
      return bytes;
    }
    this.status = Number(text.slice(9, 12));
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end)) ?? [];
    this.#left = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    const taken = end + 4 - this.#head.length;
    this.#head = '';
    return bytes.subarray(taken);
  }
}

const lastChunk = Buffer.from('0\r\n\r\n');
