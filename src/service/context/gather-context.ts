import type { ReportItem } from '../../contract/context-report.js';
import type { StepRequest } from '../../contract/step-request.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import type { ContextGroup, ContextItem, FocusItem, GatheredContext, Priority } from './context-item.js';
import { type FoundFolder, Intake, itemsOf } from './intake.js';
import type { LineRange } from './lines.js';
import type { ContextSource } from './sources/context-source.js';
import { inlineSource } from './sources/inline.js';
import { concurrently, type Library, openLibrary } from './sources/library.js';
import {
  fileItem,
  focusItem,
  type Gathered,
  linesItem,
  missingRow,
  pinnedItem,
  vectorItem,
} from './to-items.js';

const READS_AT_ONCE = 8;
/** What making an item books of the event loop. */
const ITEM_WORK = 32;
/** Of all paths and pinned items of a step; far more than any model reads. */
const MAX_CHARACTERS = 16_777_216;
const TOO_MUCH = 'not read: what was asked for before it is more than is read in one step';

/**
 * Reads everything the request asks for, in its order of priority, from what came along with it and then from the
 * sources (rule: source-order). What cannot be read becomes a row of the report; rejects only with the signal's reason.
 */
export async function gatherContext(
  request: StepRequest,
  sources: readonly ContextSource[],
  signal: AbortSignal,
): Promise<GatheredContext> {
  const questions = questionsOf(request);
  if (questions.length === 0 && !request.implicit_context) return onlyVectors(request);
  const inline = request.inline_context ? [inlineSource(request.inline_context)] : [];
  const library = openLibrary([...inline, ...sources], signal);
  const gathered = await askAll(questions, library, signal);
  const unread = questions.slice(gathered.length);
  const focus = await readFocus(request, library);
  return {
    groups: [...gathered.flatMap(({ groups }) => groups), ...vectorGroups(request)],
    focus: focus && 'item' in focus ? focus : undefined,
    missing: [
      ...gathered.flatMap(({ missing }) => missing),
      ...unread.map(({ kind, id }) => missingRow(kind, id, TOO_MUCH, 'dropped')),
      ...(focus && 'missing' in focus ? focus.missing : []),
    ],
    folders: [
      ...new Map(gathered.flatMap(({ folders }) => folders.map((each) => [each.path, each]))).values(),
    ],
  };
}

/** Something the request asks for by name. */
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

/** A step that asks for nothing by name has no source to open. */
function onlyVectors(request: StepRequest): GatheredContext {
  return { groups: vectorGroups(request), focus: undefined, missing: [], folders: [] };
}

/** What the questions found, in their order; fewer than were asked if the first ones found more than is read. */
async function askAll(
  questions: readonly Question[],
  library: Library,
  signal: AbortSignal,
): Promise<Gathered[]> {
  const ask = ({ kind, id }: Question) =>
    kind === 'explicit' ? readExplicit(id, library) : readPinned(id, library);
  const gathered: Gathered[] = [];
  const intake = new Intake();
  for await (const batch of concurrently(questions, ask, READS_AT_ONCE)) {
    for (const found of batch) {
      const taken = intake.take(found);
      gathered.push(taken);
      await eventLoopShare.take(ITEM_WORK * itemsOf(taken).length, signal);
    }
    if (intake.characters >= MAX_CHARACTERS) break;
  }
  return gathered;
}

async function readExplicit(asked: string, library: Library): Promise<Gathered | FoundFolder> {
  const { found } = await library.read(asked);
  if (found?.type === 'folder') return { folder: found, id: asked };
  if (found) return single('explicit', fileItem(found, asked));
  return readLines(asked, library);
}

/** `path:10-40`, if there is no file of that very name; `path:10` is one line. */
async function readLines(asked: string, library: Library): Promise<Gathered> {
  const [, path = asked, first, last = first] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/s.exec(asked) ?? [];
  const { found, ...lookup } = await library.read(path);
  if (!found) return nothing('explicit', asked, 'reason' in lookup ? lookup.reason : '');
  if (found.type === 'folder') return nothing('explicit', asked, 'a folder has no lines');
  const item = linesItem(found, asked, { first: Number(first), last: Number(last) });
  return item ? single('explicit', item) : nothing('explicit', asked, 'the file has no such lines');
}

async function readPinned(id: string, library: Library): Promise<Gathered> {
  const lookup = await library.readPinned(id);
  if (lookup.found) return single('pinned', pinnedItem(lookup.found));
  return nothing('pinned', id, lookup.reason);
}

async function readFocus(request: StepRequest, library: Library): Promise<FocusItem | Gathered | undefined> {
  const { last_focused_file_path: path, selection } = request.implicit_context ?? {};
  if (path === undefined) return undefined;
  const lookup = await library.read(path);
  const reason = lookup.found ? 'not a file' : lookup.reason;
  if (lookup.found?.type !== 'file') {
    return nothing('implicit', path, reason);
  }
  return focusItem(lookup.found, selection && toRange(selection));
}

function toRange({ start_line, end_line }: { start_line: number; end_line: number }): LineRange {
  return { first: start_line, last: end_line };
}

/** The best first; without a score last; equal ones as they were sent. */
function vectorGroups({ vector_search_results_to_include: results = [] }: StepRequest): ContextGroup[] {
  const score = (result: (typeof results)[number]) => result.score ?? Number.NEGATIVE_INFINITY;
  const sorted = results.toSorted((a, b) => (score(a) === score(b) ? 0 : score(b) - score(a)));
  return sorted.map((result) => ({ kind: 'vector', items: [vectorItem(result)] }));
}

function single(kind: Priority, item: ContextItem): Gathered {
  return { groups: [{ kind, items: [item] }], missing: [], folders: [] };
}

function nothing(kind: ReportItem['kind'], id: string, reason: string): Gathered {
  return { groups: [], missing: [missingRow(kind, id, reason)], folders: [] };
}
