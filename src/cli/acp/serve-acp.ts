import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream } from '@agentclientprotocol/sdk';
import type { RunFlags } from '../commands/read-arguments.js';
import { exitCodes } from '../commands/usage.js';
import { exitInTime, onStop } from '../session/on-stop.js';
import { readAnswerSchema } from '../session/read-answer-schema.js';
import { Sessions } from './sessions.js';

/**
 * Serves the Agent Client Protocol, version 1, on standard input and output (rule: acp). Resolves to the exit code
 * when the editor has disconnected and all sessions have ended.
 */
export async function serveAcp(flags: RunFlags, keys: NodeJS.ProcessEnv): Promise<number> {
  const sessions = new Sessions(flags, keys, await readAnswerSchema(flags.answerSchema));
  const input = Readable.toWeb(process.stdin);
  const connection = agentOver(sessions).connect(ndJsonStream(protocolOutput(), input));
  const stops = onStop(() => connection.close());
  try {
    await connection.closed;
    return exitCodeAfter(connection.signal.reason);
  } finally {
    exitInTime(exitCodes.answered);
    await sessions.close();
    stops.end();
  }
}

/** Returns the exit code after the connection has ended. Explains the end only if a message was too long. */
function exitCodeAfter(reason: unknown): number {
  if (!(reason instanceof Error) || reason.name !== 'MessageTooLargeError') return exitCodes.answered;
  process.stderr.write(`stepwise: The editor sent a message that is too long. ${reason.message}.\n`);
  return exitCodes.error;
}

const agentOver = (sessions: Sessions) =>
  agent({ name: 'stepwise' })
    .onRequest('initialize', ({ params }) => sessions.initialize(params))
    .onRequest('session/new', ({ params, client }) => sessions.create(params, client))
    .onRequest('session/load', ({ params, client, signal }) =>
      sessions.load(params, client, { replaysHistory: true, signal }),
    )
    .onRequest('session/resume', ({ params, client, signal }) =>
      sessions.load(params, client, { replaysHistory: false, signal }),
    )
    .onRequest('session/list', ({ params }) => sessions.list(params))
    .onRequest('session/close', ({ params }) => sessions.end(params.sessionId))
    .onRequest('session/set_mode', ({ params }) => sessions.setMode(params.sessionId, params.modeId))
    .onRequest('session/set_config_option', ({ params }) => sessions.setOption(params))
    .onRequest('session/prompt', ({ params, signal }) => sessions.prompt(params, signal))
    .onNotification('session/cancel', ({ params }) => sessions.cancel(params.sessionId));

/**
 * Returns a stream to standard output and redirects all other output of this process to standard error, since a module
 * of `--tools` that prints would break the protocol.
 */
function protocolOutput(): WritableStream<Uint8Array> {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = process.stderr.write.bind(process.stderr);
  const frames = new Writable({
    write: (chunk, _encoding, done) => void write(chunk, (error) => done(error)),
  });
  return Writable.toWeb(frames);
}
