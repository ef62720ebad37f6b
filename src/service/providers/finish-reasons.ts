import { isObject } from '../../contract/fields.js';
import type { FinishReason } from '../../contract/step.js';

/**
 * Returns the vendor's finish reason as text; null if the value says only that the reply is not finished. Some servers
 * send an object with the reason under `type`, or a number.
 */
export function finishReasonIn(value: unknown): string | null {
  if (isObject(value)) return finishReasonIn(value['type'] ?? null);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string' || unfinished.has(normalized(value))) return null;
  return value;
}

/** Returns the unified finish reason (rule: finish-reason). */
export function unifyReason(reason: string | null): FinishReason {
  return (reason !== null && unifiedReasons.get(normalized(reason))) || 'other';
}

/** Returns whether the finish reason says that the server aborted the reply. */
export function isInterruption(value: unknown): boolean {
  const reason = finishReasonIn(value);
  return reason !== null && interruptions.has(normalized(reason));
}

/**
 * Writes a reason in lower case with underscores, without the prefix of an enum (`FinishReason.STOP`,
 * `REASON_MAX_LEN`) and without the detail that Gemini appends (`content_filter: OTHER`).
 */
function normalized(reason: string): string {
  return reason
    .slice(0, MAX_REASON_LENGTH)
    .replace(/:.*/s, '')
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^(?:finish_)?reason[._]/, '');
}

/** Maximum length of a finish reason that is compared with the known ones. */
const MAX_REASON_LENGTH = 100;

/** Values that mean "not finished yet": DashScope sends the text `null` with every chunk, watsonx `not_finished`. */
const unfinished: ReadonlySet<string> = new Set([
  '',
  'null',
  'none',
  'not_finished',
  'unspecified',
  'in_progress',
  'queued',
]);

/**
 * Finish reasons of servers that aborted the reply: of DeepSeek, Z.ai, vLLM, SGLang, watsonx, TensorRT-LLM, LM
 * Studio, Cohere and the Responses API.
 */
const interruptions: ReadonlySet<string> = new Set([
  'error',
  'failed',
  'server_error',
  'internal_error',
  'network_error',
  'insufficient_system_resource',
  'abort',
  'aborted',
  'cancel',
  'canceled',
  'cancelled',
  'user_cancel',
  'timeout',
  'time_limit',
  'model_unloaded',
]);

/**
 * The unified finish reason for each finish reason of a vendor: OpenAI, Anthropic, Gemini, Bedrock, Mistral,
 * mistral.rs, Cohere, Z.ai, Qianfan, xAI, watsonx, LM Studio and Text Generation Inference.
 */
const unifiedReasons: ReadonlyMap<string, FinishReason> = new Map([
  ...named('stop', [
    'stop',
    'end_turn',
    'stop_sequence',
    'stop_token',
    'eos',
    'eos_token',
    'eos_found',
    'stop_string_found',
    'complete',
    'completed',
    'normal',
  ]),
  ...named('length', [
    'length',
    'max_tokens',
    'max_output_tokens',
    'max_length',
    'max_len',
    'max_context',
    'model_length',
    'token_limit',
    'model_context_window_exceeded',
    'context_length_reached',
    'max_predicted_tokens_reached',
    'incomplete',
  ]),
  ...named('tool', ['tool_calls', 'tool_call', 'function_call', 'tool_use', 'pause_turn']),
  ...named('refusal', [
    'refusal',
    'content_filter',
    'content_filtered',
    'guardrail_intervened',
    'safety',
    'image_safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'model_armor',
    'sensitive',
    'error_toxic',
  ]),
]);

function named(unified: FinishReason, reasons: readonly string[]): [string, FinishReason][] {
  return reasons.map((reason) => [reason, unified]);
}
