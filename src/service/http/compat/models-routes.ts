import type { Request, RequestHandler } from 'express';
import { type ListedModel, writeModel, writeModels } from '../../compat/write-models.js';
import type { ModelDirectory } from '../../providers/create-model-directory.js';
import { RequestRefused } from '../failure/to-failure.js';
import { findModel } from './route-model.js';

/** Handles `GET /v1/models` (rule: compatible-models). */
export function answerModels(models: ModelDirectory): RequestHandler {
  return async (request, response) => {
    response.json(writeModels(await listedModels(models), isOfAnthropic(request)));
  };
}

/** Handles `GET /v1/models/{id}`. The id may contain slashes, raw or as `%2F`. */
export function answerModel(models: ModelDirectory): RequestHandler {
  return async (request, response) => {
    const { id: parts } = request.params;
    const id = [parts ?? []].flat().join('/');
    const model = (await listedModels(models)).find((each) => each.id === id) ?? (await unlisted(id, models));
    if (!model) throw unknownModel();
    response.json(writeModel(model, isOfAnthropic(request)));
  };
}

/** Anthropic's clients send this header with the version of their API; others do not. */
const isOfAnthropic = (request: Request): boolean => request.get('anthropic-version') !== undefined;

async function listedModels(models: ModelDirectory): Promise<ListedModel[]> {
  const known = models.list().models.map(({ name, provider }) => ({
    id: isFoundByName(name, provider, models) ? name : `${provider}/${name}`,
    upstream: provider,
  }));
  const listed = await models.listUpstreams();
  const others = listed.flatMap(({ upstream, names = [] }) =>
    names.map((name) => ({ id: `${upstream}/${name}`, upstream })),
  );
  // Duplicates are removed, because a server may list a model that the operator also configured.
  return [...new Map([...known, ...others].map((model) => [model.id, model])).values()];
}

const isFoundByName = (name: string, provider: string, models: ModelDirectory): boolean =>
  models.resolve({ modelName: name })?.providerName === provider;

/**
 * Returns a model that no list contains but that a request may still name. Returns undefined if the model's upstream
 * has a list, because an existing model would be on it.
 */
async function unlisted(id: string, models: ModelDirectory): Promise<ListedModel | undefined> {
  const upstream = findModel(id, models)?.model.providerName;
  if (upstream === undefined) return undefined;
  const lists = await models.listUpstreams();
  const hasOthers = lists.some((each) => each.upstream === upstream && each.names !== undefined);
  return hasOthers ? undefined : { id, upstream };
}

function unknownModel(): RequestRefused {
  const message = 'no model of this name is known; GET /v1/models lists the known ones';
  return new RequestRefused('not_found', [{ path: 'model', code: 'unknown_name', message }]);
}
