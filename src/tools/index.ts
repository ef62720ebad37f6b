/** The tool pack for Node: tools over one folder, contained in it by real path. */
export type { ToolLimits } from './limits.js';
export { ProjectRoot } from './project-root.js';
export { createReadTools, createToolPack, type ToolPackOptions } from './tool-pack.js';
