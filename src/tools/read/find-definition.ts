import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import type { Folder } from '../folder/folder.js';
import { findLines } from './find-lines.js';
import { renderMatches, type SearchOptions, searchFiles } from './search-code.js';

/** Keywords that begin a definition in common programming languages. */
const keywords =
  'class|interface|type|enum|namespace|module|function\\*?|const|let|var|def|fn|func|struct|trait|impl|object|record|' +
  'protocol|extension|macro_rules!|sub|package|data|newtype|CREATE (?:TABLE|VIEW|FUNCTION)';
const modifiers =
  'export|default|declare|abstract|public|private|protected|internal|static|final|async|readonly|override|pub(?:\\([^)]*\\))?|' +
  'unsafe|extern|inline|virtual|sealed|partial|open|local';

/** Creates `find_definition(symbol)`, which finds definitions by a regular expression, without a compiler. */
export const findDefinitionTool = (folder: Folder, { matchLines, maxMatches }: SearchOptions): Tool =>
  defineTool({
    name: 'find_definition',
    defer: false,
    description: 'Find where a function, class, type, method or constant is defined.',
    inputSchema: {
      type: 'object',
      properties: { symbol: { type: 'string', description: 'The exact name, without its class or module.' } },
      required: ['symbol'],
    },
    annotations: { readOnlyHint: true },
    execute: async ({ symbol }, context) => {
      if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(symbol)) throw new ToolError('A symbol is a single name.');
      const search = { find: findLines(definitionOf(symbol), matchLines), path: '.', maxMatches };
      const matches = await searchFiles(folder, search, context);
      return matches.total > 0
        ? renderMatches(matches)
        : `No definition of "${symbol}" found; try search_code.`;
    },
  });

function definitionOf(symbol: string): RegExp {
  const name = symbol.replaceAll('$', '\\$');
  const end = '(?![\\w$])';
  const declared = `(?:${keywords})\\s+(?:\\([^)]*\\)\\s*)?${name}${end}`;
  const assigned = `${name}\\s*[:=]\\s*(?:async\\s*)?(?:function|\\(|lambda|class)`;
  const method = `${name}\\s*\\([^;]*\\)\\s*(?::[^={]+)?\\{`;
  const start = `^\\s*(?:(?:${modifiers})\\s+)*`;
  return new RegExp(`${start}(?:${declared}|${assigned}|(?!if|for|while|switch|return)${method})`);
}
