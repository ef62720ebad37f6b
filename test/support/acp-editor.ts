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

/** What the editor of a test does when it is asked; what is left out it does not offer. */
export interface EditorDoes {
  readonly permission?: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
  readonly readFile?: (path: string) => Promise<string>;
  readonly writeFile?: (path: string, content: string) => Promise<void>;
  readonly elicit?: (message: string) => Promise<CreateElicitationResponse>;
  readonly terminal?: (request: CreateTerminalRequest) => FakeTerminal | Promise<FakeTerminal>;
  /** Answers of a method in place of those above, as they are: what no editor should say. */
  readonly odd?: Readonly<Record<string, unknown>>;
}

interface FakeTerminal {
  readonly output: string;
  readonly exit: Promise<{ exitCode: number | null; signal?: string | null }>;
  readonly calls: string[];
  kill(): void;
}

/** An editor made of the protocol's own SDK, over the pipes of a process. */
export interface TestEditor {
  readonly agent: ClientContext;
  readonly connection: ClientConnection;
  readonly asked: RequestPermissionRequest[];
  open(cwd: string, mcpServers?: McpServer[]): Promise<NewSessionResponse>;
  /** Sends words, and resolves to why the turn ended. */
  prompt(sessionId: string, words: string): Promise<string>;
  /** Everything the session was told, oldest first. */
  told(sessionId: string): readonly SessionUpdate[];
  /** The text of its chunks of one kind, joined. */
  text(
    sessionId: string,
    kind?: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
  ): string;
  /** The calls as they stand after all updates, in their order. */
  calls(sessionId: string): readonly ToolCallUpdate[];
  /** Resolves when the session was told something of which `isIt` is true. */
  until(sessionId: string, isIt: (update: SessionUpdate) => boolean): Promise<void>;
}

export async function openEditor(
  child: ChildProcessWithoutNullStreams,
  does: EditorDoes = {},
): Promise<TestEditor> {
  const notes: SessionNotification[] = [];
  const asked: RequestPermissionRequest[] = [];
  const listeners = new Set<() => void>();
  const terminals = new Map<string, FakeTerminal>();
  const terminal = (id: string, call: string) => {
    const found = terminals.get(id);
    if (!found) throw new Error(`There is no terminal ${id}.`);
    found.calls.push(call);
    return found;
  };
  // What is odd is of no type of the protocol's.
  const unlessOdd = <Answer>(method: string, answer: () => Answer): Answer =>
    does.odd && method in does.odd ? (does.odd[method] as Answer) : answer();
  const app = client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      notes.push(params);
      for (const listen of listeners) listen();
    })
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params);
      return does.permission?.(params) ?? { outcome: { outcome: 'cancelled' } };
    })
    .onRequest('fs/read_text_file', ({ params }) =>
      unlessOdd('fs/read_text_file', async () => ({ content: (await does.readFile?.(params.path)) ?? '' })),
    )
    .onRequest('fs/write_text_file', async ({ params }) => does.writeFile?.(params.path, params.content))
    .onRequest('elicitation/create', ({ params }) =>
      unlessOdd('elicitation/create', () => does.elicit?.(params.message) ?? { action: 'decline' }),
    )
    .onRequest('terminal/create', async ({ params }) => {
      const opened = await does.terminal?.(params);
      const terminalId = `terminal-${terminals.size + 1}`;
      if (!opened) throw new Error('There is no terminal.');
      terminals.set(terminalId, opened);
      return unlessOdd('terminal/create', () => ({ terminalId }));
    })
    .onRequest('terminal/wait_for_exit', ({ params }) =>
      unlessOdd('terminal/wait_for_exit', () => terminal(params.terminalId, 'wait').exit),
    )
    .onRequest('terminal/output', ({ params }) =>
      unlessOdd('terminal/output', () => ({
        output: terminal(params.terminalId, 'output').output,
        truncated: false,
      })),
    )
    .onRequest('terminal/kill', ({ params }) => terminal(params.terminalId, 'kill').kill())
    .onRequest('terminal/release', ({ params }) => void terminal(params.terminalId, 'release'));
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
  );
  const { agent } = connection;
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: capabilitiesOf(does) });
  const told = (sessionId: string) =>
    notes.filter((note) => note.sessionId === sessionId).map(({ update }) => update);
  return {
    agent,
    connection,
    asked,
    told,
    open: (cwd, mcpServers = []) => agent.request('session/new', { cwd, mcpServers }),
    prompt: async (sessionId, text) => {
      const { stopReason } = await agent.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'text', text }],
      });
      return stopReason;
    },
    text: (sessionId, kind = 'agent_message_chunk') =>
      told(sessionId)
        .map((update) =>
          update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : '',
        )
        .join(''),
    calls: (sessionId) => callsIn(told(sessionId)),
    until: (sessionId, isIt) =>
      new Promise((resolve) => {
        const listen = () => {
          if (!told(sessionId).some(isIt)) return;
          listeners.delete(listen);
          resolve();
        };
        listeners.add(listen);
        listen();
      }),
  };
}

const capabilitiesOf = ({ readFile, writeFile, elicit, terminal }: EditorDoes): ClientCapabilities => ({
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
