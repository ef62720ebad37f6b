import type { RecordedRequest } from './reply.js';
import { type HttpAnswer, jsonType } from './wire-answer.js';

/** The only model that this server includes in its list. */
export const offlineModelName = 'offline';

/** Answers `GET /v1/models`. Requests with a version header come from Anthropic's clients and get their format. */
export function listModels({ headers }: RecordedRequest): HttpAnswer {
  const body = 'anthropic-version' in headers ? anthropicModels : openaiModels;
  return { status: 200, headers: { 'content-type': jsonType }, body: [JSON.stringify(body)] };
}

const openaiModels = {
  object: 'list',
  data: [{ id: offlineModelName, object: 'model', created: 0, owned_by: 'stepwise' }],
};

const anthropicModels = {
  data: [
    {
      type: 'model',
      id: offlineModelName,
      display_name: 'Offline extractive searcher',
      created_at: '1970-01-01T00:00:00Z',
      max_input_tokens: null,
      max_tokens: null,
    },
  ],
  has_more: false,
  first_id: offlineModelName,
  last_id: offlineModelName,
};
