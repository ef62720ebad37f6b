import { jsonValueOf } from './read-calls.js';

/** A line of a file that an observation quotes. */
export interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/**
 * Reads search results: `path:line: text`, lines under a heading that is a path, or JSON objects with these
 * fields.
 */
export function readHits(observation: string): FoundLine[] {
  const json = /^\s*[[{]/u.test(observation) ? jsonValueOf(observation) : undefined;
  if (json !== undefined) return hitsIn(json);
  let heading = '';
  return observation.split('\n').flatMap((each) => {
    if (isPlaceholder(each)) return [];
    const hit = /^\s*(?:[-*]\s+)?(\S[^:]*?):(\d+)(?::\d+)?(?::|-|\s|$)[ \t]?(.*)$/u.exec(each);
    if (hit) return [{ path: cleanPath(hit[1] ?? ''), line: Number(hit[2]), text: hit[3] ?? '' }];
    const numbered = numberedLine(each);
    if (numbered && heading) return [{ path: heading, ...numbered }];
    heading = looksLikePath(each) ? cleanPath(each.trim().replace(/:$/u, '')) : '';
    return [];
  });
}

/**
 * Yields the lines of a file from an observation: numbered lines between a header and a footer, or else plain text
 * that begins at line `firstLine`. Skips all but the first of consecutive blank lines.
 */
export function* readLines(observation: string, path: string, firstLine: number): Generator<FoundLine> {
  const isNumbered = numbersLines(observation, firstLine);
  let next = firstLine;
  let isAfterBlank = false;
  for (const text of linesOf(observation)) {
    if (isPlaceholder(text)) {
      next = lineAfter(text) ?? next;
      continue;
    }
    const seen = isNumbered ? numberedLine(text) : { line: next++, text };
    const isBlank = seen?.text.trim() === '';
    if (seen && !(isBlank && isAfterBlank)) yield { path, ...seen };
    isAfterBlank = isBlank;
  }
}

/**
 * Returns whether most lines begin with ascending line numbers, starting at the requested line, unlike, for
 * example, a list of ports. Numbers may be skipped, because the prompt omits the middle of a long observation.
 */
function numbersLines(text: string, firstLine: number): boolean {
  let lines = 0;
  let numbered = 0;
  let last = firstLine - 1;
  for (const each of linesOf(text)) {
    lines += 1;
    const line = numberedLine(each)?.line;
    if (line === undefined) continue;
    if (numbered === 0 ? line !== firstLine : line <= last) return false;
    last = line;
    numbered += 1;
  }
  return numbered > 0 && numbered * 2 >= lines - 3;
}

/** Returns whether the service wrote the line as a placeholder for text that it left out (rule: cut-by-lines). */
const isPlaceholder = (text: string): boolean => /^\s*\[[^\]]*\bleft out\b[^\]]*\]\s*$/u.test(text);

/**
 * Returns the number of the first line after the lines that a placeholder replaces; undefined if the placeholder
 * names no lines.
 */
function lineAfter(placeholder: string): number | undefined {
  const [, first, last = first] = /^\s*\[lines? (\d+)(?:-(\d+))?/u.exec(placeholder) ?? [];
  return last === undefined ? undefined : Number(last) + 1;
}

/** Yields one line at a time. An array of all lines would take many times the memory of the text. */
function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

/** Reads a listing of files: one path per line, or a tree drawn with indentation. Omits directories. */
export function readPaths(observation: string): string[] {
  const folders: { depth: number; name: string }[] = [];
  return observation.split('\n').flatMap((each) => {
    const [, drawing = '', name = ''] = /^([\s│├└─|`+-]*)(.*)$/u.exec(each.trimEnd()) ?? [];
    while ((folders.at(-1)?.depth ?? -1) >= drawing.length) folders.pop();
    const prefix = folders.map((folder) => folder.name).join('');
    if (name.endsWith('/')) {
      folders.push({ depth: drawing.length, name: name === './' ? '' : name });
      return [];
    }
    return looksLikePath(name) ? [cleanPath(prefix + name)] : [];
  });
}

/** Returns whether the observation says that the tool failed, unlike a match in a file such as `error.ts`. */
export const isFailure = (observation: string): boolean =>
  /^\s*(?:error(?![\w/-]|\.\w)|(?:this call was )?not run\b)/iu.test(observation);

/** Returns whether the observation says that the tool returned only a part of its result. */
export function isCut(observation: string): boolean {
  const [, included, total] =
    /\bshowing (\d+) of (\d+) matches\b/iu.exec(observation.slice(-REMARK_CHARACTERS)) ?? [];
  return (
    Number(included) < Number(total) ||
    /\btruncated\b|\bmore matches\b/iu.test(observation.slice(-REMARK_CHARACTERS))
  );
}

/** Number of characters at the end of an observation in which a tool may remark that its result is incomplete. */
const REMARK_CHARACTERS = 200;

function numberedLine(text: string): { line: number; text: string } | null {
  const match = /^\s*(\d+)(?:\t|\s*[|│→:] ?|\s{2,})(.*)$/u.exec(text);
  return match ? { line: Number(match[1]), text: match[2] ?? '' } : null;
}

const looksLikePath = (text: string): boolean =>
  /^\s*(?:[\w@.()[\]-]+\/)*[\w@.()[\]-]+:?\s*$/u.test(text) && /[./]|^\s*[A-Z][a-z]+file\s*$/u.test(text);

export const cleanPath = (path: string): string => path.trim().replace(/^\.\//u, '');

/** Finds the objects in a JSON value that have a path and a line, at most a few levels down. */
function hitsIn(value: unknown, levels = 5): FoundLine[] {
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  const fields = new Map(Object.entries(value));
  const path = fields.get('path') ?? fields.get('file') ?? fields.get('filename');
  const line = fields.get('line') ?? fields.get('line_number') ?? fields.get('lineNumber');
  const text = fields.get('text') ?? fields.get('content') ?? fields.get('match') ?? fields.get('preview');
  if (typeof path === 'string' && typeof line === 'number') return [{ path, line, text: String(text ?? '') }];
  return [...fields.values()].flatMap((each) => hitsIn(each, levels - 1));
}
