import { parseJson } from './read-calls.js';

/** One line of a file, as some observation showed it. */
export interface SeenLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Search results: `path:line: text`, lines under a heading that is a path, or JSON objects with these fields. */
export function readHits(observation: string): SeenLine[] {
  const json = /^\s*[[{]/u.test(observation) ? parseJson(observation) : undefined;
  if (json !== undefined) return hitsIn(json);
  let heading = '';
  return observation.split('\n').flatMap((each) => {
    const hit = /^\s*(?:[-*]\s+)?(\S[^:]*?):(\d+)(?::\d+)?(?::|-|\s|$)[ \t]?(.*)$/u.exec(each);
    if (hit) return [{ path: cleanPath(hit[1] ?? ''), line: Number(hit[2]), text: hit[3] ?? '' }];
    const numbered = numberedLine(each);
    if (numbered && heading) return [{ path: heading, ...numbered }];
    heading = looksLikePath(each) ? cleanPath(each.trim().replace(/:$/u, '')) : '';
    return [];
  });
}

/** A file that was read: numbered lines, or, where no line has a number, its text from `firstLine` on. */
export function readLines(observation: string, path: string, firstLine: number): SeenLine[] {
  const lines = observation.split('\n');
  const numbered = lines.flatMap((each) => {
    const line = numberedLine(each);
    return line ? [{ path, ...line }] : [];
  });
  if (numbered.length > 0) return numbered;
  return lines.map((text, index) => ({ path, line: firstLine + index, text }));
}

/** A listing: one path a line, or a tree drawn with indentation; directories are left out. */
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

/** True where a tool says that it failed or found nothing. */
export const isFailure = (observation: string): boolean => /^\s*(?:error\b|not run\b)/iu.test(observation);

function numberedLine(text: string): { line: number; text: string } | null {
  const match = /^\s*(\d+)(?:\t|\s*[|│→:] ?|\s{2,})(.*)$/u.exec(text);
  return match ? { line: Number(match[1]), text: match[2] ?? '' } : null;
}

const looksLikePath = (text: string): boolean =>
  /^\s*(?:[\w@.()[\]-]+\/)*[\w@.()[\]-]+:?\s*$/u.test(text) && /[./]|^\s*[A-Z][a-z]+file\s*$/u.test(text);

const cleanPath = (path: string): string => path.trim().replace(/^\.\//u, '');

function hitsIn(value: unknown): SeenLine[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = new Map(Object.entries(value));
  const path = fields.get('path') ?? fields.get('file') ?? fields.get('filename');
  const line = fields.get('line') ?? fields.get('line_number') ?? fields.get('lineNumber');
  const text = fields.get('text') ?? fields.get('content') ?? fields.get('match') ?? fields.get('preview');
  if (typeof path === 'string' && typeof line === 'number') return [{ path, line, text: String(text ?? '') }];
  return [...fields.values()].flatMap(hitsIn);
}
