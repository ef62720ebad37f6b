import type { Compaction } from '../../contract/compaction.js';
import type { ModelList } from '../../contract/model-list.js';
import type { Preview } from '../../contract/preview.js';
import type { ErrorResponse, Step } from '../../contract/step.js';
import type { StreamEvent } from '../../contract/stream.js';

/**
 * Whether a body is the service's own. Proxies and other servers answer with JSON too, so what the client builds
 * on is looked at; the rest is the service's to keep, which tests each answer against the contract.
 */
export const isStep = (body: unknown): body is Step =>
  isObject(body) &&
  typeof body['status'] === 'string' &&
  typeof body['iterations_remaining'] === 'number' &&
  isList(body['new_turns']) &&
  isList(body['additional_actions']) &&
  (body['status'] !== 'action_proposed' || isAction(body['action_details']));

export const isErrorResponse = (body: unknown): body is ErrorResponse =>
  isObject(body) &&
  body['status'] === 'error' &&
  isObject(body['error']) &&
  typeof body['error']['code'] === 'string' &&
  typeof body['error']['message'] === 'string' &&
  typeof body['error']['retryable'] === 'boolean';

export const isPreview = (body: unknown): body is Preview =>
  isObject(body) && typeof body['system'] === 'string' && isList(body['messages']);

export const isCompaction = (body: unknown): body is Compaction =>
  isObject(body) && isList(body['conversation_history']) && typeof body['changed'] === 'boolean';

export const isModelList = (body: unknown): body is ModelList =>
  isObject(body) && isList(body['models']) && isList(body['upstreams']);

/** Events that a newer service adds pass: a client skips what it does not know. */
export function isStreamEvent(data: unknown): data is StreamEvent {
  if (!isObject(data) || typeof data['type'] !== 'string') return false;
  if (data['type'] === 'step.completed') return isStep(data['step']);
  if (data['type'] === 'error') return isErrorResponse(data['error']);
  return !data['type'].endsWith('.delta') || typeof data['delta'] === 'string';
}

const isAction = (value: unknown): boolean =>
  isObject(value) && typeof value['tool_name'] === 'string' && isObject(value['tool_args']);

const isList = Array.isArray;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
