import { join } from 'node:path';
import type { StepRequest } from '../../../contract/step-request.js';
import { type ContextServiceOptions, contextServiceSource } from './context-service.js';
import type { ContextSource } from './context-source.js';
import { projectFolderSource } from './project-folder.js';

/** The operator's settings for context sources. */
interface ContextSourceOptions {
  /** Folders by project id in lower case. */
  readonly PROJECTS: Readonly<Record<string, string>>;
  /** Folder whose subfolders are named after project ids in lower case. */
  readonly PROJECTS_DIR?: string | undefined;
  readonly CONTEXT_SERVICE_URL?: string | undefined;
}

/** Options of a context service that differ from request to request. */
type RequestOptions = Pick<ContextServiceOptions, 'headers' | 'onConnectionProblem'>;

/**
 * Returns a function that maps a request to the operator's sources, in the order in which they are queried
 * (rule: source-order).
 */
export function contextSources(
  config: ContextSourceOptions,
  fetch?: ContextServiceOptions['fetch'],
): (request: StepRequest, forRequest?: RequestOptions) => ContextSource[] {
  const { PROJECTS_DIR: parent, CONTEXT_SERVICE_URL: url } = config;
  return ({ project_id: projectId }, forRequest) => {
    // The request schema accepts only UUIDs as project ids, so an id cannot contain a path. Upper and lower case are
    // equivalent.
    const id = projectId.toLowerCase();
    const folder = config.PROJECTS[id] ?? (parent && join(parent, id));
    return [
      ...(folder ? [projectFolderSource(folder)] : []),
      ...(url ? [contextServiceSource({ url, projectId, fetch, ...forRequest })] : []),
    ];
  };
}
