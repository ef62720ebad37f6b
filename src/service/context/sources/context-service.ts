import { isObject } from '../../../contract/fields.js';
import { byCodeUnits, isBelow, portablePath } from '../../../files/portable-path.js';
import { isSecretPath } from '../../../files/secret-paths.js';
import { basicAuthorization } from '../../../network/basic-authorization.js';
import { type ConnectionProblem, connectionFailureOf } from '../../../network/connection-problem.js';
import { ReceivedBytes } from '../../../network/received-bytes.js';
import { withTimeLimit } from '../../../network/time-limit.js';
import { type ContextSource, type SourceFile, type SourceFolder, storedPinnedId } from './context-source.js';

/** The part of `fetch` that this source uses. */
type Fetch = (
  url: string,
  init: {
    readonly redirect: 'error';
    readonly signal: AbortSignal;
    readonly headers: Readonly<Record<string, string>>;
  },
) => Promise<Pick<Response, 'status' | 'body'>>;

export interface ContextServiceOptions {
  /** `CONTEXT_SERVICE_URL`, which only the operator can set. */
  readonly url: string;
  readonly projectId: string;
  /** Returns headers to add; called before each request. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  readonly fetch?: Fetch | undefined;
  /** Called if a connection could not be established or broke off. */
  readonly onConnectionProblem?: ((problem: ConnectionProblem) => void) | undefined;
  /** Time limit of one response, including its body. Default 5,000. */
  readonly timeoutMs?: number;
  /** Maximum size of one response. Default 8 MiB. */
  readonly maxBytes?: number;
}

/** Thrown if the context service did not respond in time, or if its response violates the protocol. */
export class ContextServiceFailed extends Error {
  override readonly name = 'ContextServiceFailed';
  /** Undefined if the service responded, but its response violates the protocol. */
  readonly problem: ConnectionProblem | undefined;

  constructor(reason: string, { cause, problem }: { cause?: unknown; problem?: ConnectionProblem } = {}) {
    super(`The context service failed: ${reason}.`, { cause });
    this.problem = problem;
  }
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 8_388_608;

/**
 * Returns a source that reads files and pinned items with two kinds of GET requests (rule: context-service). It
 * rejects with `ContextServiceFailed`.
 */
export function contextServiceSource(options: ContextServiceOptions): ContextSource {
  const { address, headers } = readAddress(options.url);
  const project = `${address}/projects/${encodeURIComponent(options.projectId)}`;
  const given = { ...options, headers: () => ({ ...headers, ...options.headers?.() }) };
  return {
    async read(path, signal) {
      const name = portablePath(path);
      if (name === undefined || isSecretPath(name)) return undefined;
      const answer = await get(`${project}/files?path=${encodeURIComponent(name)}`, given, signal);
      return answer === undefined ? undefined : checkEntry(name, answer);
    },
    async readPinned(id, signal) {
      if (!storedPinnedId.test(id)) return undefined;
      const answer = await get(`${project}/pinned/${encodeURIComponent(id)}`, given, signal);
      if (answer === undefined) return undefined;
      const { content, title } = checkObject(answer);
      return { id, content: checkText(content), ...(typeof title === 'string' && { title }) };
    },
  };
}

/** Removes user and password from a URL, because `fetch` does not accept them there, and returns them as a header. */
function readAddress(url: string): { address: string; headers: Readonly<Record<string, string>> } {
  const address = new URL(url);
  const authorization = basicAuthorization(address);
  Object.assign(address, { username: '', password: '' });
  return { address: address.href.replace(/\/+$/, ''), headers: authorization ? { authorization } : {} };
}

/** Returns the JSON value of the response; undefined for a 404. */
async function get(url: string, options: ContextServiceOptions, signal: AbortSignal): Promise<unknown> {
  const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = options;
  signal.throwIfAborted();
  const stop = withTimeLimit(signal, timeoutMs);
  try {
    const headers = { ...options.headers?.(), accept: 'application/json' };
    const { status, body } = await fetch(url, { redirect: 'error', signal: stop, headers });
    if (status !== 200) await body?.cancel();
    if (status === 404) return undefined;
    if (status !== 200) throw new ContextServiceFailed(`it responded with HTTP ${status}`);
    return JSON.parse(await readBody(body, maxBytes));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ContextServiceFailed) throw error;
    const problem = problemOf(error);
    if (problem) options.onConnectionProblem?.(problem);
    throw new ContextServiceFailed('no usable response', { cause: error, ...(problem && { problem }) });
  }
}

/**
 * Returns the problem of the connection to the context service (rule: connection-failures); `timeout` for a response
 * that is not complete in time.
 */
function problemOf(error: unknown): ConnectionProblem | undefined {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return connectionFailureOf(error)?.problem;
}

/** Reads a body. Throws if it is too large; leaving the loop early cancels the rest of the body. */
async function readBody(body: Response['body'], maxBytes: number): Promise<string> {
  const received = new ReceivedBytes();
  for await (const chunk of body ?? []) {
    if (received.size + chunk.length > maxBytes)
      throw new ContextServiceFailed(`its response is larger than ${maxBytes} bytes`);
    received.add(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(received.bytes);
}

function checkEntry(path: string, answer: unknown): SourceFile | SourceFolder {
  const entry = checkObject(answer);
  if (entry['type'] === 'file') return checkFile(path, entry);
  if (entry['type'] === 'folder') return checkFolder(path, entry);
  throw new ContextServiceFailed('`type` is neither "file" nor "folder"');
}

function checkFile(path: string, { content, cut }: Readonly<Record<string, unknown>>): SourceFile {
  return { type: 'file', path, content: checkText(content), ...(cut === true && { cut }) };
}

/**
 * Returns a folder of the response. Omits paths outside the folder and paths named like secrets, even if the
 * service returns them.
 */
function checkFolder(folder: string, entry: Readonly<Record<string, unknown>>): SourceFolder {
  const isMember = (path: unknown): path is string =>
    typeof path === 'string' && portablePath(path) === path && isBelow(folder, path) && !isSecretPath(path);
  const files = checkList(entry['files'])
    .map(checkObject)
    .flatMap((file) => (isMember(file['path']) ? [checkFile(file['path'], file)] : []));
  return {
    type: 'folder',
    path: folder,
    listing: [...new Set(checkList(entry['listing']).filter(isMember))].sort(byCodeUnits),
    files: files.sort((a, b) => byCodeUnits(a.path, b.path)),
    ...(entry['cut'] === true && { cut: true }),
  };
}

function checkObject(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new ContextServiceFailed('expected a JSON object');
}

function checkList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new ContextServiceFailed('expected a JSON array');
}

function checkText(value: unknown): string {
  if (typeof value === 'string' && !value.includes('\0')) return value;
  throw new ContextServiceFailed('expected a string without NUL');
}
