import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import type { Folder } from '../folder/folder.js';
import { atMost, showing, skipped } from './limits.js';

const DEFAULT_DEPTH = 3;

/** Creates `get_file_tree(max_depth)`, which lists folders and files, indented by depth. */
export const getFileTreeTool = (folder: Folder, maxEntries: number): Tool =>
  defineTool({
    name: 'get_file_tree',
    defer: false,
    description: `Show the project as a tree${atMost(maxEntries, ' entries')}. What .gitignore names is left out.`,
    inputSchema: {
      type: 'object',
      properties: {
        max_depth: { type: 'integer', description: `Levels to show; default ${DEFAULT_DEPTH}.` },
      },
    },
    annotations: { readOnlyHint: true },
    execute: async ({ max_depth }, { signal }) => {
      const lines: string[] = [];
      let unreadable = 0;
      const maxDepth = Math.max(1, max_depth ?? DEFAULT_DEPTH);
      for await (const { path, type, depth } of folder.walk('.', { signal, maxDepth })) {
        const name = path.slice(path.lastIndexOf('/') + 1);
        if (type === 'unreadable') unreadable += 1;
        else lines.push(`${'  '.repeat(depth - 1)}${name}${type === 'folder' ? '/' : ''}`);
      }
      return [...listed(lines, maxEntries), ...skipped(unreadable, 'folder')].join('\n');
    },
  });

function listed(lines: readonly string[], maxEntries: number): string[] {
  if (lines.length === 0) return ['The project folder is empty.'];
  const shown = lines.slice(0, maxEntries);
  const count = { shown: shown.length, total: lines.length, what: 'entries' };
  return [...shown, showing({ ...count, rest: 'use list_files with a path' })];
}
