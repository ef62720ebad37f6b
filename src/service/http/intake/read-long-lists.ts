import type { z } from 'zod';
import { isObject } from '../../../contract/fields.js';
import { longLists } from '../../../contract/step-request.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { inOurWords } from './explain-issue.js';

/** Longer lists are long whatever is in them. */
const ITEMS = 256;
/** Fields checked at once, and what each costs of the share of the event loop: turns are copied field by field. */
const FIELDS = 2 * 1024;
const FIELD_WORK = 4;

/** The long lists of a body, checked; and what else of it the schema knows, with empty ones in their place. */
interface LongLists {
  readonly rest: unknown;
  readonly issues: readonly z.core.$ZodIssue[];
  /** Puts the lists into what was read of the rest. */
  putBack(request: object): void;
}

interface Bounds {
  /** What the schema knows, by name: no other list is looked at. */
  readonly shape: object;
  readonly maxIssues: number;
  readonly signal: AbortSignal;
}

interface ReadList {
  readonly items: unknown[];
  readonly issues: z.core.$ZodIssue[];
}

/** Checks the items of long lists a few at a time, and no more once enough is wrong (rule: loop-share). */
export async function readLongLists(body: unknown, bounds: Bounds): Promise<LongLists> {
  const read: (ReadList & { readonly path: readonly string[] })[] = [];
  let rest: object | undefined;
  for (const { path, item, max } of longLists) {
    if (!Object.hasOwn(bounds.shape, path[0])) continue;
    const list = valueAt(body, path);
    if (!Array.isArray(list) || list.length > max || !isLong(list)) continue;
    read.push({ path, ...(await readList(list, { path, item }, bounds)) });
    rest ??= copyKnown(body, Object.keys(bounds.shape));
    put(rest, path, []);
  }
  return {
    rest: rest ?? body,
    issues: read.flatMap(({ issues }) => issues),
    putBack: (request) => {
      for (const { path, items } of read) put(request, path, items);
    },
  };
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

/** What the schema knows, in objects of our own: a body may have tens of thousands of other fields, and is copied once. */
function copyKnown(body: unknown, fields: readonly string[]): object {
  if (!isObject(body)) return {};
  const known = fields.filter((name) => Object.hasOwn(body, name));
  return Object.fromEntries(known.map((name) => [name, holdsLists(name) ? copied(body[name]) : body[name]]));
}

const holdsLists = (name: string): boolean =>
  longLists.some(({ path }) => path[0] === name && path.length > 1);

const copied = (value: unknown): unknown => (isObject(value) ? { ...value } : value);

function isLong(list: readonly unknown[]): boolean {
  if (list.length > ITEMS) return true;
  let fields = 0;
  return list.some((item) => {
    fields += fieldsIn(item);
    return fields > FIELDS;
  });
}

/** Of an item and of the objects in it, counting the item itself: no schema of an item goes deeper. */
function fieldsIn(item: unknown): number {
  if (!isObject(item)) return 1;
  const values = Object.values(item);
  return values.reduce<number>((sum, value) => sum + ownFields(value), 1 + values.length);
}

const ownFields = (value: unknown): number => (isObject(value) ? Object.keys(value).length : 0);

async function readList(
  list: readonly unknown[],
  { path, item }: { path: readonly string[]; item: z.ZodType },
  { maxIssues, signal }: Bounds,
): Promise<ReadList> {
  const read: ReadList = { items: [], issues: [] };
  let fields = 0;
  for (const [index, sent] of list.entries()) {
    fields += fieldsIn(sent);
    if (fields >= FIELDS) {
      await eventLoopShare.take(fields * FIELD_WORK, signal);
      fields = 0;
    }
    const result = item.safeParse(sent, inOurWords);
    if (result.success) read.items.push(result.data);
    else read.issues.push(...result.error.issues.map((issue) => at([...path, index], issue)));
    if (read.issues.length >= maxIssues) break;
  }
  return read;
}

const at = (path: PropertyKey[], issue: z.core.$ZodIssue): z.core.$ZodIssue => ({
  ...issue,
  path: [...path, ...issue.path],
});

function put(target: object, [name = '', ...rest]: readonly string[], value: unknown): void {
  const inner: unknown = Reflect.get(target, name);
  if (rest.length > 0 && isObject(inner)) put(inner, rest, value);
  else Reflect.set(target, name, value);
}
