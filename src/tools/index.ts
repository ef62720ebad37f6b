/** The tool pack for Node: tools over one folder, contained in it by real path. */
export { ProjectRoot } from './project-root.js';
export { runsFolder } from './read/search-memory.js';
export { createReadTools, createToolPack } from './tool-pack.js';
