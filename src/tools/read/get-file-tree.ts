import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import type { ProjectRoot } from '../project-root.js';
import { walkFiles } from '../walk-files.js';
import { showing } from './showing.js';

const maxEntries = 200;
const defaultDepth = 3;

/** `get_file_tree(max_depth)`: the project's folders and files, indented by depth. */
export const getFileTreeTool = (root: ProjectRoot): Tool =>
  defineTool({
    name: 'get_file_tree',
    description: `Show the project as a tree, at most ${maxEntries} entries. What .gitignore names is left out.`,
    inputSchema: {
      type: 'object',
      properties: { max_depth: { type: 'integer', description: `Levels to show; default ${defaultDepth}.` } },
    },
    annotations: { readOnlyHint: true },
    execute: async ({ max_depth }, { signal }) => {
      const lines: string[] = [];
      const maxDepth = Math.max(1, max_depth ?? defaultDepth);
      for await (const { path, type, depth } of walkFiles(root, '.', { signal, maxDepth })) {
        const name = path.slice(path.lastIndexOf('/') + 1);
        lines.push(`${'  '.repeat(depth - 1)}${name}${type === 'folder' ? '/' : ''}`);
      }
      return render(lines);
    },
  });

function render(lines: readonly string[]): string {
  if (lines.length === 0) return 'The project folder is empty.';
  const shown = lines.slice(0, maxEntries);
  const count = { shown: shown.length, total: lines.length, what: 'entries' };
  return [...shown, showing({ ...count, rest: 'use list_files with a path' })].join('\n');
}
