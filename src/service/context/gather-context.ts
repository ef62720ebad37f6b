import type { ReportItem } from '../../contract/context-report.js';
import type { StepRequest } from '../../contract/step-request.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import type { ContextGroup, ContextItem, FocusItem, GatheredContext, Priority } from './context-item.js';
import { type FoundFolder, type Gathered, Intake } from './intake.js';
import { LineIndex } from './lines.js';
import { once } from './once.js';
import { reportRow } from './report-row.js';
import type { ContextSource, SourceFile } from './sources/context-source.js';
import { inlineSource } from './sources/inline.js';
import { concurrently, type Library, openLibrary } from './sources/library.js';
import { fileItem, focusItem, linesItem, pinnedItem, vectorItem } from './to-items.js';

const READS_AT_ONCE = 8;
/**
 * Maximum number of UTF-16 units of all paths and pinned items of a step, far more than fits any model's context
 * window.
 */
const MAX_CHARACTERS = 16_777_216;
const TOO_MUCH = 'not read: the items before it already exceed the limit of one step';

/**
 * Reads everything that the request refers to, in order of priority, first from the request's inline context and
 * then from the sources (rule: source-order). An item that cannot be read becomes a row of the report. Rejects
 * only with the signal's reason.
 */
export async function gatherContext(
  request: StepRequest,
  sources: readonly ContextSource[],
  signal: AbortSignal,
): Promise<GatheredContext> {
  const inline = request.inline_context ? [inlineSource(request.inline_context)] : [];
  const library = openLibrary([...inline, ...sources], signal);
  const questions = questionsOf(request);
  const gathered = await askAll(questions, library, signal);
  const unread = questions.slice(gathered.length);
  const focus = await readFocus(request, library);
  return {
    groups: [...gathered.flatMap(({ groups }) => groups), ...vectorGroups(request)],
    focus: focus && 'item' in focus ? focus : undefined,
    missing: [
      ...gathered.flatMap(({ missing }) => missing),
      ...unread.map(({ kind, id }) => reportRow({ kind, id, status: 'dropped', reason: TOO_MUCH })),
      ...(focus && 'missing' in focus ? focus.missing : []),
    ],
    folders: [
      ...new Map(gathered.flatMap(({ folders }) => folders.map((each) => [each.path, each]))).values(),
    ],
  };
}

/** A path or an id that the request asks for. */
interface Question {
  readonly kind: 'explicit' | 'pinned';
  readonly id: string;
}

function questionsOf(request: StepRequest): Question[] {
  const paths = request.explicit_context_paths ?? [];
  const pinnedIds = request.pinned_item_ids_to_include ?? [];
  return [
    ...paths.map((path) => ({ kind: 'explicit' as const, id: path })),
    ...pinnedIds.map((id) => ({ kind: 'pinned' as const, id })),
  ];
}

/**
 * Returns the results for the requested paths and ids, in order. Stops early once their total length exceeds
 * `MAX_CHARACTERS`.
 */
async function askAll(
  questions: readonly Question[],
  library: Library,
  signal: AbortSignal,
): Promise<Gathered[]> {
  const lineIndexOf = once(({ content }: SourceFile) => new LineIndex(content));
  const ask = ({ kind, id }: Question) =>
    kind === 'explicit' ? readExplicit(id, library, lineIndexOf) : readPinned(id, library);
  const gathered: Gathered[] = [];
  const intake = new Intake();
  for await (const batch of concurrently(questions, ask, READS_AT_ONCE)) {
    for (const found of batch) {
      gathered.push(intake.take(found));
      await yieldIfBusy(signal);
    }
    if (intake.characters >= MAX_CHARACTERS) break;
  }
  return gathered;
}

type LineIndexOf = (file: SourceFile) => LineIndex;

async function readExplicit(
  requested: string,
  library: Library,
  lineIndexOf: LineIndexOf,
): Promise<Gathered | FoundFolder> {
  const { found } = await library.read(requested);
  if (found?.type === 'folder') return { folder: found, id: requested };
  if (found) return single('explicit', fileItem(found, requested));
  return readLines(requested, library, lineIndexOf);
}

/** Reads a path with line numbers, such as `path:10-40` or `path:10`. Called only if no file has exactly this name. */
async function readLines(requested: string, library: Library, lineIndexOf: LineIndexOf): Promise<Gathered> {
  const [, path = requested, first, last = first] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(requested) ?? [];
  const { found, reason } = await library.read(path);
  if (!found) return unavailable('explicit', requested, reason);
  if (found.type === 'folder') return unavailable('explicit', requested, 'a folder has no lines');
  const lines = { first: Number(first), last: Number(last) };
  const item = linesItem(found, requested, { lines, index: lineIndexOf(found) });
  return item ? single('explicit', item) : unavailable('explicit', requested, 'the file has no such lines');
}

async function readPinned(id: string, library: Library): Promise<Gathered> {
  const { found, reason } = await library.readPinned(id);
  return found ? single('pinned', pinnedItem(found)) : unavailable('pinned', id, reason);
}

async function readFocus(request: StepRequest, library: Library): Promise<FocusItem | Gathered | undefined> {
  const { last_focused_file_path: path, selection } = request.implicit_context ?? {};
  if (path === undefined) return undefined;
  const { found, reason } = await library.read(path);
  if (!found) return unavailable('implicit', path, reason);
  if (found.type === 'folder') return unavailable('implicit', path, 'not a file');
  return focusItem(found, selection && { first: selection.start_line, last: selection.end_line });
}

/** Sorts results by descending score. Results without a score come last; equal scores keep their order. */
function vectorGroups({ vector_search_results_to_include: results = [] }: StepRequest): ContextGroup[] {
  const score = (result: (typeof results)[number]) => result.score ?? Number.NEGATIVE_INFINITY;
  const sorted = results.toSorted((a, b) => (score(a) === score(b) ? 0 : score(b) - score(a)));
  return sorted.map((result) => ({ kind: 'vector', items: [vectorItem(result)] }));
}

function single(kind: Priority, item: ContextItem): Gathered {
  return { groups: [{ kind, items: [item] }], missing: [], folders: [] };
}

function unavailable(kind: ReportItem['kind'], id: string, reason: string): Gathered {
  return { groups: [], missing: [reportRow({ kind, id, status: 'unavailable', reason })], folders: [] };
}
