import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream } from '@agentclientprotocol/sdk';
import type { RunFlags } from '../commands/read-arguments.js';
import { exitCodes } from '../commands/usage.js';
import { exitInTime, onStop } from '../session/on-stop.js';
import { Sessions } from './sessions.js';

/**
 * An agent of the Agent Client Protocol, version 1, on standard input and output (rule: acp). Resolves to the exit code
 * when the editor has gone and all that it started has ended.
 */
export async function serveAcp(flags: RunFlags, keys: NodeJS.ProcessEnv): Promise<number> {
  const sessions = new Sessions(flags, keys);
  const input = Readable.toWeb(process.stdin);
  const connection = agentOver(sessions).connect(ndJsonStream(framesOnly(), input));
  const stops = onStop(() => connection.close());
  try {
    await connection.closed;
    return exitCodes.answered;
  } finally {
    exitInTime(exitCodes.answered);
    await sessions.close();
    stops.end();
  }
}

const agentOver = (sessions: Sessions) =>
  agent({ name: 'stepwise' })
    .onRequest('initialize', ({ params }) => sessions.initialize(params))
    .onRequest('session/new', ({ params, client }) => sessions.create(params, client))
    .onRequest('session/load', ({ params, client, signal }) =>
      sessions.load(params, client, { isTold: true, signal }),
    )
    .onRequest('session/resume', ({ params, client, signal }) =>
      sessions.load(params, client, { isTold: false, signal }),
    )
    .onRequest('session/list', ({ params }) => sessions.list(params.cwd))
    .onRequest('session/close', ({ params }) => sessions.end(params.sessionId))
    .onRequest('session/set_mode', ({ params }) => sessions.setMode(params.sessionId, params.modeId))
    .onRequest('session/set_config_option', ({ params }) =>
      sessions.setModel(params.sessionId, params.configId, params.value),
    )
    .onRequest('session/prompt', ({ params, signal }) => sessions.prompt(params, signal))
    .onNotification('session/cancel', ({ params }) => sessions.cancel(params.sessionId));

/** Standard output carries frames: what anything else in this process prints, such as a module of `--tools`, goes to standard error. */
function framesOnly(): WritableStream<Uint8Array> {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = process.stderr.write.bind(process.stderr);
  const frames = new Writable({
    write: (chunk, _encoding, done) => void write(chunk, (error) => done(error)),
  });
  return Writable.toWeb(frames);
}
