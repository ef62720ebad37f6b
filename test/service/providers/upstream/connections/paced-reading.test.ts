import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectSecurely, createServer as createSecureServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { paceReading } from '../../../../../src/service/providers/upstream/connections/paced-reading.js';
import { certificatePem, privateKeyPem } from '../../../../support/certificate.js';
import { listen } from '../../../../support/listen.js';

const BEAT_MS = 8;
const LONG_PAUSE_MS = 100;
/** Bytes that Node reads at once. */
const ONE_READ = 64 * 1024;
/** Of the event loop: what comes at once has come by then. */
const TURNS = 50;

let ends: Socket[] = [];
const server = createServer();

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
});

afterEach(() => {
  for (const end of ends) end.destroy();
  jest.runOnlyPendingTimers();
  jest.useRealTimers();
  ends = [];
  server.close();
});

/** A paced connection, the other end of it, and what has been read of it so far. */
async function pacedConnection() {
  const { port } = new URL(await listen(server));
  const socket = connect(Number(port), '127.0.0.1');
  const [other]: Socket[] = await once(server, 'connection');
  if (!other) throw new Error('nobody has connected');
  ends = [socket, other.setNoDelay()];
  paceReading(socket);
  const pieces: string[] = [];
  socket.on('readable', () => {
    for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(String(piece));
  });
  return { socket, other, pieces };
}

async function turns(): Promise<void> {
  for (let count = 0; count < TURNS; count += 1) await turn();
}

async function send(other: Socket, text: string): Promise<void> {
  other.write(text);
  await turns();
}

/** The connection after a burst: the next piece waits for a beat. */
async function afterBurst() {
  const connection = await pacedConnection();
  for (const text of ['first ', 'second ', 'third ']) await send(connection.other, text);
  return connection;
}

describe('a connection that goes on sending is read once a beat', () => {
  test('the first piece and the next come at once, those after them together', async () => {
    const { other, pieces } = await afterBurst();
    await send(other, 'fourth ');
    expect(pieces).toEqual(['first ', 'second ']);
    jest.advanceTimersByTime(BEAT_MS);
    await turns();
    expect(pieces).toEqual(['first ', 'second ', 'third fourth ']);
    await send(other, 'fifth');
    expect(pieces.join('')).toBe('first second third fourth ');
  });

  test('what comes after a pause comes at once, and so does the next piece', async () => {
    const { other, pieces } = await afterBurst();
    jest.advanceTimersByTime(LONG_PAUSE_MS);
    await turns();
    jest.advanceTimersByTime(LONG_PAUSE_MS);
    await send(other, 'fourth');
    await send(other, 'fifth');
    expect(pieces.slice(-2)).toEqual(['fourth', 'fifth']);
  });

  test('the answer to what was sent comes at once, however soon', async () => {
    const { socket, other, pieces } = await pacedConnection();
    for (const text of ['one', 'two', 'three', 'four']) {
      socket.write('ask');
      await send(other, text);
    }
    expect(pieces).toEqual(['one', 'two', 'three', 'four']);
  });

  test('of what is much, each beat brings what one read holds', async () => {
    const { other, pieces } = await afterBurst();
    other.write('x'.repeat(4 * ONE_READ));
    await turns();
    const before = pieces.join('').length;
    jest.advanceTimersByTime(BEAT_MS);
    await turns();
    expect(pieces.join('').length - before).toBe(ONE_READ);
  });

  test('while nothing is asked its end comes at once, so that nothing is sent on it any more', async () => {
    const { socket, other, pieces } = await afterBurst();
    const ended = once(socket, 'end');
    socket.unref();
    other.end();
    await ended;
    expect(pieces.join('')).toBe('first second third ');
  });

  test('its end comes a beat after the last piece at the latest', async () => {
    const { socket, other, pieces } = await afterBurst();
    const ended = once(socket, 'end');
    other.end('last');
    for (let beats = 0; beats < 2; beats += 1) {
      await turns();
      jest.advanceTimersByTime(BEAT_MS);
    }
    await ended;
    expect(pieces.join('')).toBe('first second third last');
  });
});

describe('over TLS', () => {
  const secure = createSecureServer({ cert: certificatePem, key: privateKeyPem });
  afterEach(() => void secure.close());

  /** What a paced connection ends with, and all that it brought, when `last` is done to the other end in a beat. */
  async function endInBeat(last: (other: Socket) => void) {
    const { port } = new URL(await listen(secure));
    const accepted = once(secure, 'secureConnection');
    const socket = connectSecurely({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
    const [other]: Socket[] = await accepted;
    if (!other) throw new Error('nobody has connected');
    ends = [socket, other.setNoDelay()];
    other.on('error', () => {});
    paceReading(socket);
    let read = '';
    let ended = '';
    socket.on('data', (piece) => (read += String(piece)));
    for (const event of ['end', 'error'] as const) socket.on(event, () => (ended ||= event));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    for (const text of ['first ', 'second ', 'third ']) await send(other, text);
    last(other);
    for (let beats = 0; beats < 20; beats += 1) {
      await turns();
      jest.advanceTimersByTime(BEAT_MS);
    }
    await closed;
    return { read, ended };
  }

  test('what came before the end is read, and so is the end', async () => {
    const { read, ended } = await endInBeat((other) => other.end('last'));
    expect([read, ended]).toEqual(['first second third last', 'end']);
  });

  test('many records that wait for a beat lose nothing', async () => {
    const much = 'x'.repeat(300_000);
    const { read } = await endInBeat((other) => other.end(much));
    expect(read.length).toBe('first second third '.length + much.length);
  });
});
