import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How many answers one connection may be owed at a time (pipelining); hardly any client wants more than one. */
const MAX_OWED = 40;

/** What is known of a connection on which requests have come. */
interface Connection {
  /** The answers that were not yet handed over to it, in the order of their requests. */
  readonly owed: ServerResponse[];
  /** It is to end with the next answer that can say so. */
  isEnding: boolean;
  /** An answer has said that it is the last. */
  hasSaidSo: boolean;
}

const connections = new WeakMap<Duplex, Connection>();

/** What becomes of a request: it is answered, not looked at, or the end of its connection. */
export type Admission = 'owed' | 'unheeded' | 'refused';

/**
 * Whether a request is to be answered. One that has too many before it ends its connection instead: what is answered
 * already would wait in memory for as long as its caller likes (rule: caller-leaves). Those after an answer that said it was
 * the last were told to come again elsewhere (RFC 9112 §9.6).
 */
export function oweAnswer(request: IncomingMessage, response: ServerResponse): Admission {
  const { socket } = request;
  if (socket.destroyed) return 'unheeded'; // the parser goes on with what it has read
  const connection = connections.get(socket) ?? openConnection(socket);
  if (connection.hasSaidSo) {
    request.resume(); // a socket that is closed with unread bytes is reset, and the answers before it are lost
    return 'unheeded';
  }
  if (connection.owed.length >= MAX_OWED) {
    socket.destroy();
    return 'refused';
  }
  owe(connection, response);
  return 'owed';
}

function owe({ owed }: Connection, response: ServerResponse): void {
  const settle = (): void => {
    const place = owed.indexOf(response);
    if (place >= 0) owed.splice(place, 1);
  };
  owed.push(response);
  response.once('prefinish', settle).once('close', settle);
}

/**
 * Node 20 tells only the response whose turn it is that the connection is closed. Those that wait for their turn learn it
 * here, so that every response closes, whatever becomes of its connection (rules: caller-leaves, request-log).
 */
function openConnection(socket: Socket): Connection {
  const connection: Connection = { owed: [], isEnding: false, hasSaidSo: false };
  connections.set(socket, connection);
  socket.once('close', () => {
    for (const response of [...connection.owed]) if (!response.socket) response.destroy();
  });
  return connection;
}

/**
 * Ends the connection of a response with the last answer that it is owed, or, where the head of that one has left already,
 * with the next one. It never ends unsaid: a balancer takes a connection for idle as soon as it has the end of an answer,
 * and what it sends in the moment before it learns more would be lost (rule: shutdown).
 */
export function endConnection({ req: { socket } }: ServerResponse): void {
  const connection = connections.get(socket);
  if (connection) connection.isEnding = true;
}

/** Has the head of an answer say that it is the last of its connection, if it is. */
export function sayIfLast(response: ServerResponse): void {
  const connection = connections.get(response.req.socket);
  if (!connection?.isEnding || connection.owed.at(-1) !== response) return;
  connection.hasSaidSo = true;
  response.setHeader('Connection', 'close');
}

/**
 * Whether a refusal that is written to the connection is read as one: no answer has begun, and not more than one is
 * owed, whose request it ends. Otherwise it would be taken for a part of an answer, or for another request's.
 */
export function canRefuse(socket: Duplex): boolean {
  const [first, second] = connections.get(socket)?.owed ?? [];
  return !first?.headersSent && !second;
}

/** Ends a connection on which nothing has moved for a while, unless an answer is still being made. */
export function endUnread(socket: Socket): void {
  const isAnswering = (connections.get(socket)?.owed.length ?? 0) > 0;
  if (!isAnswering || socket.writableLength > 0) socket.destroy();
}

/** Resolves when a response is the next to be sent, or is closed before that. */
export function turnOf(response: ServerResponse): Promise<void> {
  if (response.socket || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('socket', () => resolve()).once('close', resolve);
  });
}
