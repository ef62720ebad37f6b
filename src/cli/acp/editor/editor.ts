import type {
  AgentContext,
  ClientCapabilities,
  CreateTerminalRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
  TerminalHandle,
} from '@agentclientprotocol/sdk';
import type { InputRequest } from '../../../sdk/actions/client-tools.js';
import { randomId } from '../../../sdk/base/random-id.js';

type InSession<Params> = Omit<Params, 'sessionId'>;

/**
 * The editor's side of one session: sends it updates and requests. Requests are only sent if the editor supports them.
 */
export class Editor {
  readonly #client: AgentContext;
  readonly #sessionId: string;
  readonly #offers: ClientCapabilities;
  /** The message that is being sent: further chunks of the same kind belong to it. */
  #message: { readonly kind: SessionUpdate['sessionUpdate']; readonly id: string } | undefined;

  constructor(client: AgentContext, sessionId: string, offers: ClientCapabilities = {}) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#offers = offers;
  }

  get readsFiles(): boolean {
    return this.#offers.fs?.readTextFile === true;
  }

  get writesFiles(): boolean {
    return this.#offers.fs?.writeTextFile === true;
  }

  get runsCommands(): boolean {
    return this.#offers.terminal === true;
  }

  get asksQuestions(): boolean {
    return Boolean(this.#offers.elicitation?.form);
  }

  /**
   * Sends an update. Resolves when the editor can take more, so that a slow editor slows down the run. Does nothing
   * after the editor has disconnected.
   */
  async send(update: SessionUpdate): Promise<void> {
    await this.#client
      .notify('session/update', { sessionId: this.#sessionId, update: this.#withMessageId(update) })
      .catch(() => undefined);
  }

  /** Ends the current message, so that the next chunk begins another one. */
  endMessage(): void {
    this.#message = undefined;
  }

  /** Adds a message id to a chunk. Successive chunks of one kind get the same id. A tool call ends the message. */
  #withMessageId(update: SessionUpdate): SessionUpdate {
    const kind = update.sessionUpdate;
    if (kind === 'tool_call') this.endMessage();
    if (!isChunk(update)) return update;
    if (this.#message?.kind !== kind) this.#message = { kind, id: randomId() };
    return { ...update, messageId: this.#message.id };
  }

  /** Asks for permission. Rejects if the editor cannot ask, or as soon as the signal fires. */
  async askPermission(
    request: InSession<RequestPermissionRequest>,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse['outcome']> {
    const params = { sessionId: this.#sessionId, ...request };
    const { outcome } = await this.#client.request('session/request_permission', params, cancelledBy(signal));
    return outcome;
  }

  /**
   * Returns the person's answer to the model's question, or undefined if they decline. Rejects like `askPermission`.
   */
  async askInput({ question, choices }: InputRequest, signal: AbortSignal): Promise<string | undefined> {
    const suggestions = choices.length > 0 ? { description: choices.join(' · ') } : {};
    const response = await this.#client.request(
      'elicitation/create',
      {
        sessionId: this.#sessionId,
        mode: 'form',
        message: question,
        requestedSchema: {
          type: 'object',
          properties: { answer: { type: 'string', title: 'Answer', ...suggestions } },
          required: ['answer'],
        },
      },
      cancelledBy(signal),
    );
    const { action, content } = fieldsOf(response);
    const { answer } = fieldsOf(content);
    return action === 'accept' && typeof answer === 'string' ? answer : undefined;
  }

  /** Reads a file including its unsaved changes. `path` is absolute. */
  async readFile(path: string, signal?: AbortSignal): Promise<string> {
    const params = { sessionId: this.#sessionId, path };
    const options = signal ? cancelledBy(signal) : {};
    const { content } = fieldsOf(await this.#client.request('fs/read_text_file', params, options));
    if (typeof content !== 'string') throw new Error(`The editor returned no text for ${path}.`);
    return content;
  }

  async writeFile(path: string, content: string): Promise<void> {
    await this.#client.request('fs/write_text_file', { sessionId: this.#sessionId, path, content });
  }

  async openTerminal(command: InSession<CreateTerminalRequest>): Promise<TerminalHandle> {
    const terminal = await this.#client.createTerminal({ sessionId: this.#sessionId, ...command });
    if (typeof terminal.id !== 'string') throw new Error('The editor returned no terminal id.');
    return terminal;
  }
}

type Chunk = SessionUpdate & {
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
};

const isChunk = (update: SessionUpdate): update is Chunk =>
  /^(?:user_message|agent_message|agent_thought)_chunk$/.test(update.sessionUpdate);

/**
 * Returns a response as an object with unknown fields, since the SDK does not check that the response of an editor has
 * the declared type.
 */
export const fieldsOf = (answer: unknown): Readonly<Record<string, unknown>> => ({ ...Object(answer) });

const cancelledBy = (cancellationSignal: AbortSignal) => ({ cancellationSignal, stopWaitingOnCancel: true });
