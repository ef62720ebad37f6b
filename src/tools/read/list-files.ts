import { pathMatcher } from '../../files/path-pattern.js';
import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import type { ProjectRoot } from '../project-root.js';
import { walkFiles } from '../walk-files.js';
import { showing } from './showing.js';

const maxFiles = 200;

/** `list_files(path, pattern)`: one path a line, at most 200. */
export const listFilesTool = (root: ProjectRoot): Tool =>
  defineTool({
    name: 'list_files',
    description: `List the files below a folder, at most ${maxFiles}. What .gitignore names is left out.`,
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
      const found: string[] = [];
      for await (const entry of walkFiles(root, path || '.', { signal })) {
        if (entry.type === 'file' && matches(entry.path)) found.push(entry.path);
      }
      return render(found);
    },
  });

function render(found: readonly string[]): string {
  if (found.length === 0) return 'No files found.';
  const shown = found.slice(0, maxFiles);
  const count = { shown: shown.length, total: found.length, what: 'files' };
  return [...shown, showing({ ...count, rest: 'give a deeper path or a pattern' })].join('\n');
}
