import { join } from 'node:path';
import type { StepRequest } from '../contract/step-request.js';
import type { Config } from './config.js';
import type { ContextSource } from './context/context-source.js';
import { contextServiceSource } from './context/sources/context-service.js';
import { projectFolderSource } from './context/sources/project-folder.js';

/** The operator's sources of a request's context, in the order in which they are asked (SPEC §5). */
export function contextSources(config: Config): (request: StepRequest) => ContextSource[] {
  const { PROJECTS_DIR: parent, CONTEXT_SERVICE_URL: url } = config;
  return ({ project_id: projectId }) => {
    // A project id is a UUID, checked by the schema: no path can hide in it.
    const folder = config.PROJECTS[projectId.toLowerCase()] ?? (parent && join(parent, projectId));
    return [
      ...(folder ? [projectFolderSource(folder)] : []),
      ...(url ? [contextServiceSource({ url, projectId })] : []),
    ];
  };
}
