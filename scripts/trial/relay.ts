import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentMessage {
  readonly role: string;
  readonly content: string;
}

/** What the service sends to a model, as far as the trial looks at it. */
interface SentRequest {
  readonly seed: number;
  readonly messages: readonly SentMessage[];
}

/** Stands between the service and the model. */
export interface Relay {
  readonly url: string;
  /** What the model was shown, by the seed of the step. */
  readonly shown: ReadonlyMap<number, readonly SentMessage[]>;
  /** Replies that are given in the model's place, by seed. */
  readonly replies: Map<number, string>;
  /** Changes what is sent. */
  edit(messages: readonly SentMessage[]): readonly SentMessage[];
  close(): void;
}

export async function startRelay(model: string): Promise<Relay> {
  const shown = new Map<number, readonly SentMessage[]>();
  const replies = new Map<number, string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: SentRequest = JSON.parse(Buffer.concat(chunks).toString());
    const messages = relay.edit(body.messages);
    shown.set(body.seed, messages);
    const reply = replies.get(body.seed);
    const answer = reply === undefined ? await ask(model, { ...body, messages }) : completionOf(reply);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // an address is a string for pipes alone
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const relay: Relay = {
    url: `http://127.0.0.1:${port}/v1`,
    shown,
    replies,
    edit: (messages) => messages,
    close,
  };
  return relay;
}

const ask = (model: string, body: SentRequest): Promise<Response> =>
  fetch(`${model}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => new Response('{"error":{"message":"The model is gone."}}', { status: 503 }));

const completionOf = (content: string): Response =>
  Response.json({
    id: 'scripted',
    object: 'chat.completion',
    created: 0,
    model: 'any',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  });
