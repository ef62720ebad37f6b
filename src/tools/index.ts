/**
 * The tool pack for Node: tools for one folder on disk. They resolve symbolic links, so no path leads out of the
 * folder.
 */

export { matchLinesInVm } from './match-lines-in-vm.js';
export { ProjectRoot } from './project-root.js';
export type { GivenLimits, ToolLimits } from './read/limits.js';
export { createReadTools, createToolPack, type ToolPackOptions } from './tool-pack.js';
