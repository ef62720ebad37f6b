import type { Socket } from 'node:net';

/** In milliseconds: how often a connection is read whose provider goes on sending. A screen shows half as many frames. */
const BEAT_MS = 8;

/** What waits for the next beat. One timer for all connections: they are read in one turn of the event loop. */
let waiting: (() => void)[] = [];

function onBeat(read: () => void): void {
  if (waiting.length === 0) setTimeout(beat, BEAT_MS);
  waiting.push(read);
}

function beat(): void {
  const due = waiting;
  waiting = [];
  for (const read of due) read();
}

/**
 * Has a socket that brings token after token wait for the next beat with each further one: to be woken by every one of them
 * costs more than all that is made of it. What comes after a pause is read at once, and so is what comes first after
 * something was sent, and what comes while nothing is asked: that its provider closed it must be known before it is used
 * again. What comes faster than a model writes is slowed down, to 8 MB/s at most, over TLS to 5.
 */
export function paceReading(socket: Socket): void {
  const { push, _read: read, ref, unref } = socket;
  let sent = 0;
  let cameAt = Number.NEGATIVE_INFINITY;
  let isAsked = true;
  let waits = false;
  let readLater: (() => void) | undefined;
  const isNext = (): boolean => {
    const now = performance.now();
    const soon = sent === socket.bytesWritten && now - cameAt < 1.5 * BEAT_MS;
    sent = socket.bytesWritten;
    cameAt = now;
    return soon;
  };
  socket.push = (piece: Buffer | null, encoding) => {
    waits = isAsked && isNext();
    return push.call(socket, piece, encoding) && !waits;
  };
  socket._read = (size) => {
    if (!waits) return read.call(socket, size);
    waits = false;
    readLater = () => {
      readLater = undefined;
      read.call(socket, size);
    };
    onBeat(() => readLater?.());
  };
  // So undici tells a socket whether anything is asked on it.
  socket.ref = () => {
    isAsked = true;
    return ref.call(socket);
  };
  socket.unref = () => {
    isAsked = false;
    waits = false;
    readLater?.();
    return unref.call(socket);
  };
}
