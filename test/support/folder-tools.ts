import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Three read-only tools for a folder, whose results have the same format as those of the tool pack. */
export interface FolderTool {
  readonly signature: string;
  readonly run: (args: Readonly<Record<string, unknown>>) => string;
}

export function folderTools(root: string): Record<string, FolderTool> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(root, path)).isFile() && !path.startsWith('.'))
    .sort();
  const linesOf = (path: string) => readFileSync(join(root, path), 'utf8').split('\n');
  return {
    search_code: {
      signature: 'search_code(pattern, path): searches the files for a pattern',
      run: ({ pattern }) => {
        const wanted = String(pattern).toLowerCase();
        const hits = files.flatMap((path) =>
          linesOf(path).flatMap((text, index) =>
            text.toLowerCase().includes(wanted) ? [`${path}:${index + 1}: ${text}`] : [],
          ),
        );
        return [...hits.slice(0, 50), `showing ${Math.min(50, hits.length)} of ${hits.length} matches`].join(
          '\n',
        );
      },
    },
    read_file: {
      signature: 'read_file(path, start_line, end_line): reads a file, or some of its lines',
      run: ({ path, start_line = 1, end_line = 500 }) => {
        if (!files.includes(String(path))) return `Error: no such file: ${String(path)}`;
        const lines = linesOf(String(path));
        const first = Number(start_line);
        const last = Math.min(Number(end_line), lines.length);
        const shown = lines.slice(first - 1, last).map((text, index) => `${first + index}\t${text}`);
        return [`${String(path)} (lines ${first}-${last} of ${lines.length})`, ...shown].join('\n');
      },
    },
    list_files: {
      signature: 'list_files(path, pattern): lists files',
      run: () => files.join('\n'),
    },
  };
}
