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

type InSession<Params> = Omit<Params, 'sessionId'>;

/** The editor's side of one session: what it is told, and what it is asked. It is asked only for what it offers. */
export class Editor {
  readonly #client: AgentContext;
  readonly #sessionId: string;
  readonly #offers: ClientCapabilities;

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

  /** Resolves when the editor can take more, so that a run is no faster than its reader. One that has gone is told nothing. */
  async tell(update: SessionUpdate): Promise<void> {
    await this.#client
      .notify('session/update', { sessionId: this.#sessionId, update })
      .catch(() => undefined);
  }

  /** Rejects where the editor cannot ask, and at once when the signal fires. */
  async askPermission(
    request: InSession<RequestPermissionRequest>,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse['outcome']> {
    const params = { sessionId: this.#sessionId, ...request };
    const { outcome } = await this.#client.request('session/request_permission', params, atOnce(signal));
    return outcome;
  }

  /** What the person answers to the model's question; undefined where they do not want to. Rejects like `askPermission`. */
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
      atOnce(signal),
    );
    const { action, content } = fieldsOf(response);
    const { answer } = fieldsOf(content);
    return action === 'accept' && typeof answer === 'string' ? answer : undefined;
  }

  /** A file as it stands in the editor, unsaved changes included. `path` is absolute. */
  async readFile(path: string, signal?: AbortSignal): Promise<string> {
    const params = { sessionId: this.#sessionId, path };
    const options = signal ? atOnce(signal) : {};
    const { content } = fieldsOf(await this.#client.request('fs/read_text_file', params, options));
    if (typeof content !== 'string') throw new Error(`The editor did not tell the text of ${path}.`);
    return content;
  }

  async writeFile(path: string, content: string): Promise<void> {
    await this.#client.request('fs/write_text_file', { sessionId: this.#sessionId, path, content });
  }

  async openTerminal(command: InSession<CreateTerminalRequest>): Promise<TerminalHandle> {
    const terminal = await this.#client.createTerminal({ sessionId: this.#sessionId, ...command });
    if (typeof terminal.id !== 'string') throw new Error('The editor did not name the terminal.');
    return terminal;
  }
}

/** The SDK hands on what an editor answers as it is, whatever the types say. */
export const fieldsOf = (answer: unknown): Readonly<Record<string, unknown>> => ({ ...Object(answer) });

const atOnce = (cancellationSignal: AbortSignal) => ({ cancellationSignal, stopWaitingOnCancel: true });
