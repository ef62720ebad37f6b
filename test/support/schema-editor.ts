import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { until } from './until.js';

export type Json = Readonly<Record<string, unknown>>;

interface SchemaFile {
  readonly $defs: Readonly<Record<string, Json>>;
}

// This editor knows nothing of the protocol except its published schema.
const schemaPath = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.json');
const schema: SchemaFile = JSON.parse(readFileSync(schemaPath, 'utf8'));

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: 'acp', $defs: schema.$defs });

type Part = 'Request' | 'Response' | 'Notification';

/** Returns the methods that one side of the protocol answers, each with the name of its definition. */
export function methodsOf(side: 'agent' | 'client' | 'protocol', part: Part): ReadonlyMap<string, string> {
  const named = Object.entries(schema.$defs).filter(
    ([name, definition]) => definition['x-side'] === side && name.endsWith(part),
  );
  return new Map(named.map(([name, definition]) => [String(definition['x-method']), name]));
}

/** Returns all values of a discriminator field, such as the kinds of `SessionUpdate`. */
export function variantsOf(definition: string, discriminator: string): readonly string[] {
  const variants = schema.$defs[definition]?.['oneOf'];
  if (!Array.isArray(variants)) throw new Error(`${definition} has no variants.`);
  return variants.map((variant) => String(variant.properties[discriminator].const));
}

function checkerOf(name: string | undefined): ValidateFunction | undefined {
  return name === undefined ? undefined : ajv.getSchema(`acp#/$defs/${name}`);
}

/** A reply to a request of the agent: a result or an error. */
type Reply = { readonly result: unknown } | { readonly error: unknown };

/** Handles a request of the agent by calling `reply`, any number of times. */
export type OnRequest = (message: Json, reply: (answer: Reply) => void) => void;

/** A test editor that reads and writes the protocol's lines itself, without the official SDK. */
export interface SchemaEditor {
  /** Sends a request. Resolves to the complete response, which contains `result` or `error`. */
  request(method: string, params: unknown): Promise<Json>;
  /** Sends a request. Resolves to its result, and rejects if the response is an error. */
  result(method: string, params: unknown): Promise<Json>;
  notify(method: string, params: unknown): void;
  /** Sends a line unchanged. */
  write(line: string): void;
  /** All messages of the agent, oldest first. */
  readonly received: readonly Json[];
  /** Returns the updates of all sessions, either of one kind or of all kinds. */
  updates(kind?: string): readonly Json[];
  /** Returns the text of the agent's messages. */
  text(): string;
  /** Waits for an update of this kind that contains the text. */
  see(kind: string, text?: string): Promise<void>;
  /** Descriptions of the agent's messages that deviate from the schema. */
  readonly violations: readonly string[];
}

/** Opens an editor on the pipes of an agent's process. The editor's own requests must match the schema, too. */
export function openSchemaEditor(
  child: ChildProcessWithoutNullStreams,
  onRequest: OnRequest = (_, reply) => reply({ error: { code: -32601, message: 'Method not found' } }),
): SchemaEditor {
  const received: Json[] = [];
  const violations: string[] = [];
  const pending = new Map<unknown, { method: string; resolve: (response: Json) => void }>();
  const write = (line: string) => void child.stdin.write(`${line}\n`);
  const send = (message: Json) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const check = (value: unknown, definition: string | undefined, what: string) => {
    const checker = checkerOf(definition);
    if (!checker) violations.push(`${what}: the schema does not have it`);
    else if (!checker(value)) violations.push(`${what}: ${ajv.errorsText(checker.errors)}`);
  };
  const receive = (message: Json) => {
    received.push(message);
    const { id, method, params, result, error } = message;
    if (message['jsonrpc'] !== '2.0') violations.push(`not JSON-RPC 2.0: ${JSON.stringify(message)}`);
    if (typeof method === 'string' && id === undefined) {
      const side = method.startsWith('$/') ? 'protocol' : 'client';
      return check(params, methodsOf(side, 'Notification').get(method), method);
    }
    if (typeof method === 'string') {
      check(params, methodsOf('client', 'Request').get(method), method);
      return onRequest(message, (answer) => send({ id, ...answer }));
    }
    const asked = pending.get(id);
    pending.delete(id);
    if (error !== undefined) check(error, 'Error', `error of ${asked?.method}`);
    else if (asked) check(result, methodsOf('agent', 'Response').get(asked.method), asked.method);
    asked?.resolve(message);
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    try {
      receive(JSON.parse(line));
    } catch (failure) {
      violations.push(`${failure}: ${line.slice(0, 500)}`);
    }
  });
  const request = (method: string, params: unknown) =>
    new Promise<Json>((resolve) => {
      const id = `request-${received.length}-${pending.size}-${method}`;
      pending.set(id, { method, resolve });
      send({ id, method, params });
    });
  const updates = (kind?: string) =>
    received
      .filter(({ method }) => method === 'session/update')
      .map(({ params }): Json => Object(params).update)
      .filter(({ sessionUpdate }) => kind === undefined || sessionUpdate === kind);
  return {
    received,
    violations,
    write,
    request,
    updates,
    notify: (method, params) => send({ method, params }),
    result: async (method, params) => {
      const response = await request(method, params);
      if (response['error'] !== undefined) throw new Error(JSON.stringify(response['error']));
      return Object(response['result']);
    },
    text: () =>
      updates('agent_message_chunk')
        .map(({ content }) => Object(content).text)
        .join(''),
    see: async (kind, text = '') => {
      await until(
        () => JSON.stringify(updates(kind)),
        (sent) => sent !== '[]' && sent.includes(text),
      );
    },
  };
}

/** Returns the params of a prompt that consists of a text. */
export const promptOf = (sessionId: unknown, text: string): Json => ({
  sessionId,
  prompt: [{ type: 'text', text }],
});
