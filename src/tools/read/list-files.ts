import { pathMatcher } from '../../files/path-pattern.js';
import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { Folder } from '../folder/folder.js';
import { atMost, showing, skipped } from './limits.js';

/** Creates `list_files(path, pattern)`, which returns one path per line. */
export const listFilesTool = (folder: Folder, maxFiles: number): Tool =>
  defineTool({
    name: 'list_files',
    defer: false,
    description: `List the files below a folder${atMost(maxFiles)}. What .gitignore names is left out.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'A folder; default: the whole project.' },
        pattern: { type: 'string', description: 'Such as "*.ts" or "src/**/*.test.ts".' },
      },
    },
    annotations: { readOnlyHint: true },
    execute: async ({ path, pattern }, { signal }) => {
      const matches = pattern ? pathMatcher(pattern) : () => true;
      if (!matches)
        throw new ToolError('The pattern is too long or has too many choices; use a simpler one.');
      const start = path || '.';
      if ((await folder.kindOf(start)) === 'file') throw new ToolError(`"${start}" is a file, not a folder.`);
      const above = await prefixOf(folder, start);
      const found: string[] = [];
      let unreadable = 0;
      for await (const entry of folder.walk(start, { signal })) {
        if (entry.type === 'unreadable') unreadable += 1;
        if (entry.type !== 'file') continue;
        if (matches(entry.path) || matches(entry.path.slice(above.length))) found.push(entry.path);
      }
      return [...listed(found, maxFiles), ...skipped(unreadable, 'folder')].join('\n');
    },
  });

/** Returns the part of each found path that comes before a path relative to the folder. */
async function prefixOf(folder: Folder, path: string): Promise<string> {
  const name = await folder.nameOf(path);
  return name === '.' ? '' : `${name}/`;
}

function listed(found: readonly string[], maxFiles: number): string[] {
  if (found.length === 0) return ['No files found.'];
  const shown = found.slice(0, maxFiles);
  const count = { shown: shown.length, total: found.length, what: 'files' };
  return [...shown, showing({ ...count, rest: 'give a deeper path or a pattern' })];
}
