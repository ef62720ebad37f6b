import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationResponse,
  type CreateTerminalRequest,
  client,
  type McpServer,
  type NewSessionResponse,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { until } from './until.js';

/** Behaviour of a test editor. The editor offers only the capabilities that are given here. */
export interface EditorBehaviour {
  readonly permission?: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
  readonly readFile?: (path: string) => Promise<string>;
  readonly writeFile?: (path: string, content: string) => Promise<void>;
  readonly elicit?: (message: string) => Promise<CreateElicitationResponse>;
  readonly terminal?: (request: CreateTerminalRequest) => FakeTerminal | Promise<FakeTerminal>;
  /** Malformed responses by method, sent instead of the responses given above. */
  readonly malformed?: Readonly<Record<string, unknown>>;
}

interface FakeTerminal {
  readonly output: string;
  readonly exit: Promise<{ exitCode: number | null; signal?: string | null }>;
  readonly calls: string[];
  kill(): void;
}

/** A test editor that speaks the protocol (ACP) through its official SDK, over the pipes of a process. */
export interface TestEditor {
  readonly agent: ClientContext;
  readonly connection: ClientConnection;
  readonly permissionRequests: RequestPermissionRequest[];
  open(cwd: string, mcpServers?: McpServer[]): Promise<NewSessionResponse>;
  /** Sends a prompt and resolves to the stop reason. */
  prompt(sessionId: string, text: string): Promise<string>;
  /** Returns all updates of a session, oldest first. */
  updates(sessionId: string): readonly SessionUpdate[];
  /** Returns the text of all chunks of one kind. */
  text(
    sessionId: string,
    kind?: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
  ): string;
  /** Returns the tool calls in order, each with all of its updates applied. */
  calls(sessionId: string): readonly ToolCallUpdate[];
  /** Waits until an update of the session matches. */
  until(sessionId: string, isExpected: (update: SessionUpdate) => boolean): Promise<void>;
}

export async function openEditor(
  child: ChildProcessWithoutNullStreams,
  behaviour: EditorBehaviour = {},
): Promise<TestEditor> {
  const notes: SessionNotification[] = [];
  const permissionRequests: RequestPermissionRequest[] = [];
  const terminals = new Map<string, FakeTerminal>();
  const terminal = (id: string, call: string) => {
    const found = terminals.get(id);
    if (!found) throw new Error(`Unknown terminal: ${id}.`);
    found.calls.push(call);
    return found;
  };
  // Cast: malformed responses deliberately do not match the protocol's types.
  const unlessMalformed = <Answer>(method: string, answer: () => Answer): Answer =>
    behaviour.malformed && method in behaviour.malformed ? (behaviour.malformed[method] as Answer) : answer();
  const app = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      notes.push(params);
    })
    .onRequest('session/request_permission', ({ params }) => {
      permissionRequests.push(params);
      return behaviour.permission?.(params) ?? { outcome: { outcome: 'cancelled' } };
    })
    .onRequest('fs/read_text_file', ({ params }) =>
      unlessMalformed('fs/read_text_file', async () => ({
        content: (await behaviour.readFile?.(params.path)) ?? '',
      })),
    )
    .onRequest('fs/write_text_file', async ({ params }) => behaviour.writeFile?.(params.path, params.content))
    .onRequest('elicitation/create', ({ params }) =>
      unlessMalformed(
        'elicitation/create',
        () => behaviour.elicit?.(params.message) ?? { action: 'decline' },
      ),
    )
    .onRequest('terminal/create', async ({ params }) => {
      const opened = await behaviour.terminal?.(params);
      const terminalId = `terminal-${terminals.size + 1}`;
      if (!opened) throw new Error('No terminal available.');
      terminals.set(terminalId, opened);
      return unlessMalformed('terminal/create', () => ({ terminalId }));
    })
    .onRequest('terminal/wait_for_exit', ({ params }) =>
      unlessMalformed('terminal/wait_for_exit', () => terminal(params.terminalId, 'wait').exit),
    )
    .onRequest('terminal/output', ({ params }) =>
      unlessMalformed('terminal/output', () => ({
        output: terminal(params.terminalId, 'output').output,
        truncated: false,
      })),
    )
    .onRequest('terminal/kill', ({ params }) =>
      unlessMalformed('terminal/kill', () => terminal(params.terminalId, 'kill').kill()),
    )
    .onRequest('terminal/release', ({ params }) =>
      unlessMalformed('terminal/release', () => void terminal(params.terminalId, 'release')),
    );
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
  );
  const { agent } = connection;
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: capabilitiesOf(behaviour) });
  const updates = (sessionId: string) =>
    notes.filter((note) => note.sessionId === sessionId).map(({ update }) => update);
  return {
    agent,
    connection,
    permissionRequests,
    updates,
    open: (cwd, mcpServers = []) => agent.request('session/new', { cwd, mcpServers }),
    prompt: async (sessionId, text) => {
      const { stopReason } = await agent.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'text', text }],
      });
      return stopReason;
    },
    text: (sessionId, kind = 'agent_message_chunk') =>
      updates(sessionId)
        .map((update) =>
          update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : '',
        )
        .join(''),
    calls: (sessionId) => callsIn(updates(sessionId)),
    until: async (sessionId, isExpected) => {
      await until(
        () => updates(sessionId),
        (sent) => sent.some(isExpected),
      );
    },
  };
}

const capabilitiesOf = ({ readFile, writeFile, elicit, terminal }: EditorBehaviour): ClientCapabilities => ({
  fs: { readTextFile: Boolean(readFile), writeTextFile: Boolean(writeFile) },
  terminal: Boolean(terminal),
  ...(elicit && { elicitation: { form: {} } }),
});

function callsIn(updates: readonly SessionUpdate[]): readonly ToolCallUpdate[] {
  const calls = new Map<string, ToolCallUpdate>();
  for (const update of updates) {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') continue;
    const { sessionUpdate: _, ...call } = update;
    calls.set(call.toolCallId, { ...calls.get(call.toolCallId), ...call });
  }
  return [...calls.values()];
}
