import type { WireFailure } from './wire.js';

/** An error in OpenAI's shape. */
interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
}

/**
 * Writes a failure in OpenAI's shape, for Chat Completions and Responses (rule: compatible-errors). OpenAI's clients
 * retry requests that failed with 408, 409, 429 or 5xx.
 */
export function writeOpenAiFailure({ failure, status, message, param, tooLong }: WireFailure): {
  readonly status: number;
  readonly body: { readonly error: OpenAiError };
} {
  if (tooLong) {
    const { promptTokens, maxPromptTokens } = tooLong;
    // Clients recognise OpenAI's words: "maximum context length is N tokens".
    const text = `This model's maximum context length is ${maxPromptTokens} tokens for the prompt. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`;
    const code = 'context_length_exceeded';
    return {
      status: 400,
      body: { error: { message: text, type: 'invalid_request_error', param: 'messages', code } },
    };
  }
  const sent = status === 422 ? 400 : status;
  return {
    status: sent,
    body: { error: { message, type: typeOf(sent), param, code: failure.code } },
  };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 402) return 'insufficient_quota';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
