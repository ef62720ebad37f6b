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
 * something was sent. What comes faster than a model writes is slowed down, to 8 MB/s, over TLS to some 5.
 */
export function paceReading(socket: Socket): void {
  const { push, _read: read } = socket;
  let sent = 0;
  let cameAt = Number.NEGATIVE_INFINITY;
  let waits = false;
  const isNext = (): boolean => {
    const now = performance.now();
    const soon = sent === socket.bytesWritten && now - cameAt < 1.5 * BEAT_MS;
    sent = socket.bytesWritten;
    cameAt = now;
    return soon;
  };
  socket.push = (piece: Buffer | null, encoding) => {
    waits = piece !== null && isNext();
    return push.call(socket, piece, encoding) && !waits;
  };
  socket._read = (size) => {
    if (!waits) return read.call(socket, size);
    waits = false;
    onBeat(() => {
      if (!socket.destroyed) read.call(socket, size);
    });
  };
}
