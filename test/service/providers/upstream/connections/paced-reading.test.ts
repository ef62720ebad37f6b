import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { paceReading } from '../../../../../src/service/providers/upstream/connections/paced-reading.js';
import { listen } from '../../../../support/listen.js';

const BEAT_MS = 8;
const LONG_PAUSE_MS = 100;
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

  test('what is much is read as fast as it comes', async () => {
    const { other, pieces } = await pacedConnection();
    const much = 'x'.repeat(48 * 1024);
    for (let count = 0; count < 4; count += 1) await send(other, much);
    expect(pieces.join('').length).toBe(4 * much.length);
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
