import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../../../contract/fields.js';
import type { FinishReason, Usage } from '../../../contract/step.js';
import type { Completion, NativeToolCall } from '../../step/provider.js';
import { describeUnread, splitCalls, writeArguments } from '../native-calls.js';
import type { SentDraft } from '../vendor.js';

/**
 * What we use of an answer, lax: other fields may hold whatever compatible servers make of them. Looked at by hand, since every
 * step has one: the nodes of a schema lie apart in memory, and to go through them takes a twentieth of a step.
 */
interface Answer {
  readonly model?: Text;
  readonly choices?: List;
  readonly usage?: unknown;
}

interface AnswerChoice {
  readonly message: AnswerMessage;
  readonly finish_reason?: Text;
}

interface AnswerMessage {
  /** Some servers send a list of parts. */
  readonly content?: Text | readonly object[];
  readonly refusal?: Text;
  /** DeepSeek and vLLM say `reasoning_content`, OpenRouter and newer vLLM `reasoning`, OpenAI itself nothing. */
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: List;
}

type Text = string | null | undefined;
type List = readonly unknown[] | null | undefined;

const isText = (value: unknown): value is Text => (value ?? null) === null || typeof value === 'string';
const isList = (value: unknown): value is List => (value ?? null) === null || Array.isArray(value);

function isAnswer(json: unknown): json is Answer {
  return isObject(json) && isText(json['model']) && isList(json['choices']);
}

function isChoice(choice: unknown): choice is AnswerChoice {
  return isObject(choice) && isMessage(choice['message']) && isText(choice['finish_reason']);
}

function isMessage(message: unknown): message is AnswerMessage {
  if (!isObject(message)) return false;
  const { content, refusal, tool_calls } = message;
  return (isText(content) || isListOfObjects(content)) && isText(refusal) && isList(tool_calls);
}

const callsSchema = z.array(
  z.object({
    id: z.string().nullish(),
    function: z.object({
      name: z.string(),
      arguments: z.union([z.string(), z.looseObject({})]).nullish(),
    }),
  }),
);

/** What a reply consists of, whether it came whole or in pieces. */
export interface ChatReply {
  readonly model: string | null | undefined;
  readonly text: string;
  readonly reasoning: string | null;
  readonly refusal: string | null;
  readonly toolCalls: readonly NativeToolCall[];
  readonly unreadCalls: readonly unknown[];
  readonly finishReason: string | null;
  /** As the server counts. */
  readonly usage: unknown;
}

/** The completion in a plain answer; undefined if the body is not a completion. */
export async function fromResponse(json: unknown, draft: SentDraft): Promise<Completion | undefined> {
  if (!isAnswer(json)) return undefined;
  const choice = json.choices?.[0];
  if (!isChoice(choice)) return undefined;
  const { message } = choice;
  const { read, unread } = splitCalls(message.tool_calls ?? []);
  const toolCalls = read.length === 0 ? [] : await readCalls(read);
  if (!toolCalls) return undefined;
  return toCompletion(
    {
      model: json.model,
      text: textOf(message.content),
      reasoning: textIn(message.reasoning_content) ?? textIn(message.reasoning),
      refusal: message.refusal ?? null,
      toolCalls,
      unreadCalls: unread,
      finishReason: choice.finish_reason ?? null,
      usage: json.usage,
    },
    draft,
  );
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function isListOfObjects(content: unknown): content is readonly object[] {
  return Array.isArray(content) && content.every((part) => typeof part === 'object' && part !== null);
}

function textOf(content: string | readonly object[] | null | undefined): string {
  if (typeof content === 'string') return content;
  const texts = content?.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : ''));
  return texts?.join('') ?? '';
}

/** Undefined if one of them is no call. */
async function readCalls(calls: readonly unknown[]): Promise<NativeToolCall[] | undefined> {
  const { data } = callsSchema.safeParse(calls);
  return data && Promise.all(data.map(toNativeCall));
}

async function toNativeCall({
  id,
  function: called,
}: z.output<typeof callsSchema>[number]): Promise<NativeToolCall> {
  const { name, arguments: given } = called;
  return { id: id ?? '', name, arguments: typeof given === 'string' ? given : await writeArguments(given) };
}

/** The reply in unified terms. */
export async function toCompletion(reply: ChatReply, draft: SentDraft): Promise<Completion> {
  const { text, reasoning, refusal, finishReason, toolCalls } = reply;
  const unified = unify(finishReason);
  return {
    text,
    reasoning: reasoning === '' ? null : reasoning,
    toolCalls: toolCalls.map(({ id, name, arguments: written }) => ({
      id: id === '' ? `call_${randomUUID()}` : id,
      name: draft.ownToolName(name),
      arguments: written === '' ? '{}' : written,
    })),
    unreadCalls: await describeUnread(reply.unreadCalls),
    refusal: refusal || (unified === 'refusal' ? '' : null),
    finishReason: refusal ? 'refusal' : unified,
    finishReasonRaw: finishReason,
    usage: toUsage(reply.usage),
    model: reply.model ?? draft.model,
    isConstrained: (draft.constraint?.schema ?? null) !== null,
    warnings: draft.warnings,
  };
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map(
  Object.entries({
    stop: 'stop',
    length: 'length',
    tool_calls: 'tool',
    function_call: 'tool',
    content_filter: 'refusal',
  } as const),
);

const unify = (raw: string | null): FinishReason => finishReasons.get(raw ?? '') ?? 'other';

/** A count that is none is not known. */
function toUsage(usage: unknown): Usage {
  const counts = fieldsOf(usage);
  const ofPrompt = fieldsOf(counts['prompt_tokens_details']);
  const ofCompletion = fieldsOf(counts['completion_tokens_details']);
  return {
    input_tokens: countIn(counts['prompt_tokens']),
    output_tokens: countIn(counts['completion_tokens']),
    cached_input_tokens: countIn(ofPrompt['cached_tokens']),
    cache_write_tokens: countIn(ofPrompt['cache_write_tokens']),
    reasoning_tokens: countIn(ofCompletion['reasoning_tokens']),
  };
}

const noFields: Readonly<Record<string, unknown>> = {};
const fieldsOf = (value: unknown) => (isObject(value) ? value : noFields);

const MOST_TOKENS = 2 ** 31 - 1;

function countIn(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS;
  return isCount ? value : null;
}
