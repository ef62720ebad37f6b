import type { Response, ResponseUsage } from 'openai/resources/responses/responses';
import type { Answer, AnswerIdentity } from '../wire.js';
import { type OutputItem, outputOf } from './output-items.js';

/** Fields of a request that the answer repeats. */
export interface Repeated {
  readonly instructions: string | null;
  readonly max_output_tokens: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly parallel_tool_calls: boolean;
  readonly prompt_cache_key: string | null;
  readonly reasoning: object | null;
  readonly temperature: number;
  readonly text: object;
  readonly tool_choice: unknown;
  readonly tools: readonly unknown[];
}

type Ending = Pick<Response, 'status' | 'error' | 'incomplete_details' | 'completed_at' | 'usage' | 'output'>;

/** Writes an answer as one response object (rule: responses-answers). */
export const writeResponse = (answer: Answer, repeated: Repeated): object =>
  writeEnded(answer, repeated, outputOf(answer));

/** Writes the response object of a finished answer, with the given output. */
export function writeEnded(answer: Answer, repeated: Repeated, output: OutputItem[]): object {
  const { report } = answer;
  return {
    ...responseOf(answer, repeated, { ...unended, ...endingOf(answer), usage: usageOf(answer), output }),
    ...(report && { stepwise: report }),
  };
}

/** Writes the response object of an answer that is in progress. */
export const writeBegun = (identity: AnswerIdentity, repeated: Repeated): object =>
  responseOf(identity, repeated, { ...unended, output: [] });

/** Writes the response object of an answer that failed. */
export function writeFailed(
  identity: AnswerIdentity,
  repeated: Repeated,
  {
    error,
    output,
  }: { readonly error: { readonly code: string; readonly message: string }; readonly output: OutputItem[] },
): object {
  // Cast: OpenAI's type allows only OpenAI's own error codes.
  return responseOf(identity, repeated, {
    ...unended,
    status: 'failed',
    error: error as Response['error'],
    output,
  });
}

const unended = { status: 'in_progress', error: null, incomplete_details: null, completed_at: null } as const;

function endingOf({ end, refusal }: Answer): Partial<Ending> {
  if (end === 'length') return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  if (refusal === '') return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  return { status: 'completed', completed_at: Math.floor(Date.now() / 1_000) };
}

/** Fields that Open Responses or newer versions of OpenAI's types require, and that the installed version lacks. */
interface Further {
  readonly access_programs: null;
  readonly frequency_penalty: number;
  readonly presence_penalty: number;
  readonly max_tool_calls: null;
  readonly store: false;
}

function responseOf(
  identity: AnswerIdentity,
  repeated: Repeated,
  ending: Ending,
): Omit<Response, 'output_text'> & Further {
  return {
    id: `resp_${identity.id}`,
    object: 'response',
    access_programs: null,
    created_at: identity.createdAt,
    background: false,
    conversation: null,
    frequency_penalty: 0,
    max_tool_calls: null,
    model: identity.model,
    presence_penalty: 0,
    previous_response_id: null,
    prompt: null,
    safety_identifier: null,
    service_tier: 'default',
    store: false,
    top_logprobs: 0,
    top_p: 1,
    truncation: 'auto',
    // Cast: these fields were validated, or are returned as the client wrote them.
    ...(repeated as Pick<Response, keyof Repeated>),
    ...ending,
    ...(ending.usage === undefined && { usage: null as never }),
  };
}

function usageOf({ usage }: Answer): ResponseUsage & { readonly cost?: number } {
  const { input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, reasoning_tokens, cost } =
    usage;
  return {
    input_tokens,
    input_tokens_details: {
      cached_tokens: cached_input_tokens ?? 0,
      cache_write_tokens: cache_write_tokens ?? 0,
    },
    output_tokens,
    output_tokens_details: { reasoning_tokens: reasoning_tokens ?? 0 },
    total_tokens: input_tokens + output_tokens,
    ...(cost !== null && { cost }),
  };
}
