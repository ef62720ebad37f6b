import type { Compaction } from '../../contract/compaction.js';
import type { TurnInput } from '../../contract/history.js';
import type { ModelList } from '../../contract/model-list.js';
import type { Preview } from '../../contract/preview.js';
import type { ErrorResponse, Step } from '../../contract/step.js';
import type { StreamEvent } from '../../contract/stream.js';
import { isObject } from '../base/is-object.js';

/**
 * Whether a body is the service's own. Proxies and other servers answer with JSON too, so what the client builds
 * on is looked at; the rest is the service's to keep, which tests each answer against the contract.
 */
export const isStep = (body: unknown): body is Step =>
  isObject(body) &&
  Number.isInteger(body['iterations_remaining']) &&
  isListOf(isTurn, body['new_turns']) &&
  isListOf(isAction, body['additional_actions']) &&
  (isAbsent(body['correction']) || isTurn(body['correction'])) &&
  (isAbsent(body['usage']) || isObject(body['usage'])) &&
  ['thought', 'direct_response'].every((name) => isAbsent(body[name]) || typeof body[name] === 'string') &&
  hasOutcome(body);

/** Each status with what it promises; a status that is not listed here is not the service's. */
function hasOutcome({ status, action_details, error }: JsonObject): boolean {
  if (status === 'action_proposed') return isAction(action_details);
  if (status === 'error') return isStepError(error);
  return status === 'direct_response_provided' || status === 'phase_completed';
}

export const isErrorResponse = (body: unknown): body is ErrorResponse =>
  isObject(body) && body['status'] === 'error' && isStepError(body['error']);

export const isPreview = (body: unknown): body is Preview =>
  isObject(body) && typeof body['system'] === 'string' && isList(body['messages']);

export const isCompaction = (body: unknown): body is Compaction =>
  isObject(body) && isListOf(isTurn, body['conversation_history']) && typeof body['changed'] === 'boolean';

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
  isObject(value) &&
  typeof value['id'] === 'string' &&
  typeof value['tool_name'] === 'string' &&
  isObject(value['tool_args']);

const isStepError = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['code'] === 'string' &&
  typeof value['message'] === 'string' &&
  typeof value['retryable'] === 'boolean';

const roles: readonly unknown[] = ['user', 'assistant', 'tool_observation'] satisfies TurnInput['role'][];

const isTurn = (value: unknown): boolean =>
  isObject(value) &&
  roles.includes(value['role']) &&
  typeof value['content'] === 'string' &&
  (isAbsent(value['toolCall']) || isCall(value['toolCall']));

const isCall = (value: unknown): boolean =>
  isObject(value) && typeof value['name'] === 'string' && isObject(value['parameters']);

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const isList = Array.isArray;

const isListOf = (isItem: (item: unknown) => boolean, value: unknown): boolean =>
  isList(value) && value.every(isItem);

type JsonObject = Readonly<Record<string, unknown>>;
