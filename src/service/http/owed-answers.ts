import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How many answers one connection may be owed at a time (pipelining); hardly any client wants more than one. */
const MAX_OWED = 40;

/** The answers that were not yet handed over to their connection, in the order of their requests. */
const owed = new WeakMap<Duplex, Set<ServerResponse>>();

/**
 * Whether a request is to be answered. One that has too many before it ends its connection instead: what is answered
 * already would wait in memory for as long as its caller likes (rule: caller-leaves).
 */
export function oweAnswer({ socket }: IncomingMessage, response: ServerResponse): boolean {
  if (socket.destroyed) return false; // the parser goes on with what it has read
  const answers = owed.get(socket) ?? beginOwing(socket);
  if (answers.size >= MAX_OWED) {
    socket.destroy();
    return false;
  }
  const settle = (): void => void answers.delete(response);
  answers.add(response);
  response.once('prefinish', settle).once('close', settle);
  return true;
}

/**
 * Node 20 tells only the response whose turn it is that the connection is closed. Those that wait for their turn learn it
 * here, so that every response closes, whatever becomes of its connection (rules: caller-leaves, request-log).
 */
function beginOwing(socket: Socket): Set<ServerResponse> {
  const answers = new Set<ServerResponse>();
  owed.set(socket, answers);
  socket.once('close', () => {
    for (const response of answers) if (!response.socket) response.destroy();
  });
  return answers;
}

/**
 * Whether a refusal that is written to the connection is read as one: no answer has begun, and not more than one is
 * owed, whose request it ends. Otherwise it would be taken for a part of an answer, or for another request's.
 */
export function canRefuse(socket: Duplex): boolean {
  const [first, second] = owed.get(socket) ?? [];
  return !first?.headersSent && !second;
}

/** Ends a connection on which nothing has moved for a while, unless an answer is still being made. */
export function endUnread(socket: Socket): void {
  const isAnswering = (owed.get(socket)?.size ?? 0) > 0;
  if (!isAnswering || socket.writableLength > 0) socket.destroy();
}

/** Resolves when a response is the next to be sent, or is closed before that. */
export function turnOf(response: ServerResponse): Promise<void> {
  if (response.socket || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('socket', () => resolve()).once('close', resolve);
  });
}
