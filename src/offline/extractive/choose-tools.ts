import type { OfferedTool } from './prompt/read-tools.js';

/** The offered tools that the extractive searcher can use. It recognises them by their names and parameters. */
export interface Toolbox {
  readonly search: OfferedTool | null;
  readonly read: OfferedTool | null;
  readonly list: OfferedTool | null;
}

interface Job {
  /** Patterns for the names of suitable tools, the best first. */
  readonly names: readonly RegExp[];
  /** Matches the names of tools that must not be used for this purpose. */
  readonly never: RegExp;
  readonly parameter: RegExp | null;
}

const patternParameter =
  /^(?:pattern|query|q|text|regexp?|term|terms|keywords?|search(?:_?(?:term|text|query))?|string)$/iu;
const pathParameter = /^(?:(?:file_?)?path|file|file_?name|target_file|uri)$/iu;
const writes = /write|edit|create|update|delete|remove|replace|move|run|exec/iu;

const jobs = {
  search: {
    names: [
      /search_?code|code_?search|grep|ripgrep/iu,
      /search_?(?:files?|text|content|project)|find_in/iu,
      /search|find|query/iu,
    ],
    // Agents such as Claude Code offer a search over their own tools or sessions, which finds nothing in files.
    never: new RegExp(
      `memory|web|internet|definition|symbol|url|(?:tool|session)s?_?search|(?:search|find)_?(?:tool|session)|${writes.source}`,
      'iu',
    ),
    parameter: patternParameter,
  },
  read: {
    names: [
      /read_?file|file_?read|open_?file|view_?file|get_?file(?!_?tree)/iu,
      /^(?:read|open|view|cat|show)/iu,
    ],
    never: new RegExp(`memory|url|web|image|tree|list|director|search|${writes.source}`, 'iu'),
    parameter: pathParameter,
  },
  list: {
    names: [/list_?(?:files|dir)|glob/iu, /tree/iu, /^(?:ls|dir|list)$|files$/iu],
    never: new RegExp(`task|memory|web|search|tool|${writes.source}`, 'iu'),
    parameter: null,
  },
} satisfies Record<keyof Toolbox, Job>;

export const chooseTools = (tools: readonly OfferedTool[]): Toolbox => ({
  search: choose(tools, jobs.search),
  read: choose(tools, jobs.read),
  list: choose(tools, jobs.list),
});

function choose(tools: readonly OfferedTool[], { names, never, parameter }: Job): OfferedTool | null {
  const able = tools.filter(
    (tool) => !never.test(tool.name) && (!parameter || findParameter(tool, parameter)),
  );
  for (const name of names) {
    const found = able.find((tool) => name.test(tool.name));
    if (found) return found;
  }
  return null;
}

const findParameter = ({ parameters }: OfferedTool, wanted: RegExp): string | undefined =>
  parameters.find((parameter) => wanted.test(parameter));

/** A call of a tool with arguments under the names that this tool declares. */
export interface ProposedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, string | number>>;
}

/**
 * Returns a call that searches for a pattern, inside `folder` if that is given and the tool has a parameter for
 * it.
 */
export function searchCall(tool: OfferedTool, pattern: string, folder?: string): ProposedCall {
  const wanted = { [findParameter(tool, patternParameter) ?? 'pattern']: pattern };
  const below = folder === undefined ? undefined : findParameter(tool, folderParameter);
  return { name: tool.name, args: below ? { ...wanted, [below]: folder ?? '' } : wanted };
}

/**
 * Returns whether the tool's documentation mentions regular expressions. Other tools may search for the pattern as
 * plain text.
 */
export const takesExpressions = ({ name, description }: OfferedTool): boolean =>
  /\bregular expression|\breg-?exp?\b|\bgrep\b|^(?:rip)?grep/iu.test(`${name} ${description}`);

export const takesFolder = (tool: OfferedTool): boolean => findParameter(tool, folderParameter) !== undefined;

const globParameter = /^(?:pattern|glob)$/iu;

const folderParameter = /^(?:path|dir|directory|folder|root)$/iu;

/** Returns a call that reads a file, around a line if that is given and the tool has parameters for a range. */
export function readCall(tool: OfferedTool, path: string, around?: number): ProposedCall {
  const file = { [findParameter(tool, pathParameter) ?? 'path']: path };
  const start = findParameter(tool, /^(?:start|from|first)_?line$|^line_?start$|^start$/iu);
  const end = findParameter(tool, /^(?:end|to|last)_?line$|^line_?end$|^end$/iu);
  if (around === undefined || !start || !end) return { name: tool.name, args: file };
  return { name: tool.name, args: { ...file, [start]: Math.max(1, around - 20), [end]: around + 50 } };
}

/** Returns a call that lists the root folder, or all files if the tool first wants a pattern. */
export function listCall(tool: OfferedTool): ProposedCall {
  const [first = ''] = tool.parameters;
  if (globParameter.test(first)) return { name: tool.name, args: { [first]: '**/*' } };
  const folder = findParameter(tool, folderParameter);
  return { name: tool.name, args: folder ? { [folder]: '.' } : {} };
}

/** Returns a call that lists the files whose names match; undefined if the tool has no parameter for a pattern. */
export function namesCall(tool: OfferedTool, glob: string): ProposedCall | undefined {
  const parameter = findParameter(tool, globParameter);
  return parameter === undefined ? undefined : { name: tool.name, args: { [parameter]: glob } };
}

/** Returns the path that an earlier call of the read tool named. */
export function pathOfCall(tool: OfferedTool, args: Readonly<Record<string, unknown>>): string {
  const value = args[findParameter(tool, pathParameter) ?? 'path'];
  return typeof value === 'string' ? value : '';
}

/** Returns the first line that an earlier call of the read tool requested. */
export function firstLineOfCall(args: Readonly<Record<string, unknown>>): number {
  const value = Object.entries(args).find(([name]) => /start|from|first/iu.test(name))?.[1];
  return typeof value === 'number' ? value : 1;
}
