/** The tool pack for Node: tools over one folder, contained in it by real path. */

export { matchLinesInVm } from './match-lines-in-vm.js';
export { ProjectRoot } from './project-root.js';
export type { ToolLimits } from './read/limits.js';
export { createReadTools, createToolPack, type ToolPackOptions } from './tool-pack.js';
