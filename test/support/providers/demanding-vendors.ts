import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Respond } from '../../../src/offline/answer-request.js';
import type {
  RecordedRequest,
  ScriptedCompletion,
  ScriptedToolCall,
} from '../../../src/offline/wire/reply.js';
import { stableId } from '../../../src/offline/wire/wire.js';

/**
 * A vendor that answers 400 unless the client sends each of its calls back with exactly the provider state that
 * the vendor sent with it.
 */
export interface DemandingVendor {
  readonly title: string;
  /** Name of the upstream. */
  readonly provider: string;
  readonly wire: 'chat' | 'messages' | 'responses';
  readonly model: string;
  /** Adds the vendor's provider state to a completion. `serial` makes the state unique. */
  sign(completion: ScriptedCompletion, serial: string): ScriptedCompletion;
}

interface SentCall {
  readonly id: string;
  /** The fields of a call that carry the vendor's state; undefined if it has none. */
  readonly state: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value : []);

/** Returns the calls of Chat Completions messages, with all fields that may carry state. */
function chatCalls({ messages }: RecordedRequest['body']): SentCall[] {
  return listOf(messages).flatMap(({ role: _, content: __, tool_calls, ...rest }) =>
    listOf(tool_calls).map(({ id, type: _type, function: _function, ...ofCall }) => ({
      id: String(id),
      state: present({ ...rest, ...(Object.keys(ofCall).length > 0 && { call: ofCall }) }),
    })),
  );
}

const present = (state: Fields): Fields | undefined => (Object.keys(state).length > 0 ? state : undefined);

/** Returns the calls of a Messages request, each with the reasoning blocks of its message. */
function messagesCalls({ messages }: RecordedRequest['body']): SentCall[] {
  return listOf(messages).flatMap(({ content }) => {
    const blocks = listOf(content);
    const thinking = blocks.filter(({ type }) => String(type).includes('thinking'));
    const calls = blocks.filter(({ type }) => type === 'tool_use');
    return calls.map(({ id }) => ({ id: String(id), state: thinking.length > 0 ? thinking : undefined }));
  });
}

/** Returns the calls of a Responses request, each with the reasoning items since the last output or user message. */
function responsesCalls({ input }: RecordedRequest['body']): SentCall[] {
  let reasoning: Fields[] = [];
  return listOf(input).flatMap((item) => {
    if (item['type'] === 'reasoning') reasoning.push(item);
    else if (item['role'] !== 'assistant') {
      const state = reasoning.length > 0 ? reasoning : undefined;
      reasoning = [];
      if (item['type'] === 'function_call') return [{ id: String(item['call_id']), state }];
    }
    return [];
  });
}

const callsOfWire = { chat: chatCalls, messages: messagesCalls, responses: responsesCalls };

function reasoningWriter(name: string, model: string, provider = name): DemandingVendor {
  return {
    title: `${name}, reasoning_content`,
    provider,
    model,
    sign: (completion, serial) => ({
      ...completion,
      reasoning: `I think, in two words ${serial}.\n  So — é 漢字.`,
    }),
    wire: 'chat',
  };
}

/** Adds a signature to the first of several parallel calls only, as Gemini does. */
const signFirst = (calls: readonly ScriptedToolCall[] | undefined, serial: string): ScriptedToolCall[] =>
  (calls ?? []).map((call, index) =>
    index === 0 ? { ...call, thoughtSignature: `c2ln+/${serial}==` } : call,
  );

export const demandingVendors: readonly DemandingVendor[] = [
  {
    title: 'Gemini, thought_signature on each first call',
    provider: 'gemini',
    model: 'gemini-3-pro-preview',
    sign: (completion, serial) =>
      completion.toolCalls
        ? { ...completion, toolCalls: signFirst(completion.toolCalls, serial) }
        : { ...completion, thoughtSignature: `dGV4dA+/${serial}==` },
    wire: 'chat',
  },
  reasoningWriter('deepseek', 'deepseek-reasoner'),
  reasoningWriter('kimi', 'moonshotai/kimi-k2-thinking'),
  {
    title: 'OpenRouter, reasoning_details',
    provider: 'openrouter',
    model: 'anthropic/claude-sonnet-4.6',
    sign: (completion, serial) => ({
      ...completion,
      reasoningDetails: [
        {
          type: 'reasoning.text',
          index: 0,
          text: `Two words ${serial}`,
          format: 'anthropic-claude-v1',
          signature: serial,
        },
        {
          type: 'reasoning.encrypted',
          index: 1,
          data: `ZGF0YQ==${serial}`,
          id: `rs_${serial}`,
          format: null,
        },
        { type: 'reasoning.summary', index: 2, summary: `Short ${serial}` },
      ],
    }),
    wire: 'chat',
  },
  {
    title: 'GPT-5.6 through Responses, encrypted reasoning',
    provider: 'openai',
    wire: 'responses',
    model: 'gpt-5.6-sol',
    sign: (completion, serial) => ({ ...completion, reasoning: `I think ${serial}.` }),
  },
  {
    title: 'an upstream with the wire responses',
    provider: 'own-responses',
    wire: 'responses',
    model: 'gpt-oss-120b',
    sign: (completion, serial) => ({ ...completion, reasoning: `I think ${serial}, too.` }),
  },
  {
    title: 'an upstream with the wire messages',
    provider: 'own-messages',
    wire: 'messages',
    model: 'bedrock/claude-sonnet-4-6',
    sign: (completion, serial) => ({ ...completion, reasoning: `I think ${serial}.` }),
  },
  {
    title: 'Anthropic, signed thinking blocks',
    provider: 'anthropic',
    model: 'claude-opus-5',
    sign: (completion, serial) => ({ ...completion, reasoning: `I think ${serial}.` }),
    wire: 'messages',
  },
];

const stateless = (provider: string, model: string): DemandingVendor => ({
  title: `${provider}, no state`,
  provider,
  model,
  sign: (completion) => completion,
  wire: 'chat',
});

/**
 * The vendors that reject a call sent back without its provider state, and others that must not receive any provider
 * state.
 */
export const allVendors: readonly DemandingVendor[] = [
  ...demandingVendors,
  stateless('openai', 'gpt-4o'),
  stateless('ollama', 'qwen3:8b'),
];

/** A fake server of all vendors in `allVendors`. The requested model decides which vendor answers a request. */
export interface DemandingServer {
  readonly respond: Respond;
  /**
   * Returns the number of calls that clients sent back with exactly the state that the vendor had attached to
   * them.
   */
  readonly recognized: () => number;
}

/**
 * Answers each request with the completion of `script`, to which the vendor adds its state. Fails a request if a call
 * of this vendor comes back with another state, or a call of another vendor with any state.
 */
export function demandingServer(
  script: (vendor: DemandingVendor, serial: number) => ScriptedCompletion,
): DemandingServer {
  const issued = new Map<string, unknown>();
  let serial = 0;
  let recognized = 0;
  const respond: Respond = ({ body }) => {
    const vendor = allVendors.find(({ model }) => model === body['model']);
    if (!vendor) throw new Error(`no vendor has the model ${String(body['model'])}`);
    for (const { id, state } of callsOfWire[vendor.wire](body)) {
      const expected = issued.get(`${vendor.title} ${id}`);
      if (!isDeepStrictEqual(state, expected))
        throw new Error(`call ${id}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(state)}`);
      if (expected !== undefined) recognized += 1;
    }
    serial += 1;
    const completion = vendor.sign(script(vendor, serial), `n${serial}`);
    for (const call of expectedStates(vendor, completion))
      issued.set(`${vendor.title} ${call.id}`, call.state);
    return completion;
  };
  return { respond, recognized: () => recognized };
}

/** Returns for each call of a completion the provider state with which the client must send it back. */
function expectedStates(
  { wire }: DemandingVendor,
  { toolCalls = [], reasoning, reasoningDetails }: ScriptedCompletion,
): readonly SentCall[] {
  if (wire === 'messages') return messagesStates(toolCalls, reasoning ?? '');
  if (wire === 'responses') return responsesStates(toolCalls, reasoning ?? '');
  return toolCalls.map(({ id = '', thoughtSignature }) => ({
    id,
    state: present({
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
      ...(reasoningDetails && { reasoning_details: reasoningDetails }),
      ...(thoughtSignature && {
        call: { extra_content: { google: { thought_signature: thoughtSignature } } },
      }),
    }),
  }));
}

/** Returns the signature that the scripted provider would create for a thought. */
const signatureOf = (thinking: string): string => createHash('sha256').update(thinking).digest('base64');

function messagesStates(toolCalls: readonly ScriptedToolCall[], thinking: string): SentCall[] {
  const block = { type: 'thinking', thinking, signature: signatureOf(thinking) };
  return toolCalls.map(({ id = '' }) => ({ id, state: thinking ? [block] : undefined }));
}

function responsesStates(toolCalls: readonly ScriptedToolCall[], text: string): SentCall[] {
  const item = {
    type: 'reasoning',
    id: stableId('rs_', text),
    summary: [{ type: 'summary_text', text }],
    encrypted_content: signatureOf(text),
  };
  return toolCalls.map(({ id = '' }, index) => ({ id, state: index === 0 ? [item] : undefined }));
}

const builtIn = ['openai', 'anthropic'];

/** The value of `UPSTREAMS` for the vendors that are not built in. */
export const demandingUpstreams = Object.fromEntries(
  allVendors
    .filter(({ provider }) => !builtIn.includes(provider))
    .map(({ provider, wire }) => {
      const url = wire === 'messages' ? 'FAKE_URL' : 'FAKE_URL/v1';
      return [provider, { url, wire, keyRequired: true }];
    }),
);
