import type { z } from 'zod';
import { isObject } from '../../../contract/fields.js';
import { longLists } from '../../../contract/step-request.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import { explainIssue } from './explain-issue.js';

/** Items checked at once, and what they cost of the share of the event loop. */
const ITEMS = 256;
const WORK = 8 * 1024;

/** The long lists of a body, checked; and the body with empty ones in their place. */
interface LongLists {
  readonly rest: unknown;
  readonly issues: readonly z.core.$ZodIssue[];
  /** Puts the lists into what was read of the rest. */
  putBack(request: object): void;
}

interface Bounds {
  /** What the schema knows: no other list is looked at. */
  readonly fields: readonly string[];
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
  let rest = body;
  for (const { path, item, max } of longLists.filter(({ path: [field] }) => bounds.fields.includes(field))) {
    const list = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body);
    if (!Array.isArray(list) || list.length <= ITEMS || list.length > max) continue;
    read.push({ path, ...(await readList(list, { path, item }, bounds)) });
    rest = replaced(rest, path, []);
  }
  return {
    rest,
    issues: read.flatMap(({ issues }) => issues),
    putBack: (request) => {
      for (const { path, items } of read) put(request, path, items);
    },
  };
}

async function readList(
  list: readonly unknown[],
  { path, item }: { path: readonly string[]; item: z.ZodType },
  { maxIssues, signal }: Bounds,
): Promise<ReadList> {
  const read: ReadList = { items: [], issues: [] };
  for (const [index, sent] of list.entries()) {
    if (index % ITEMS === 0) await eventLoopShare.take(WORK, signal);
    const result = item.safeParse(sent, { error: explainIssue });
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

/** The value with another one at this path, which it has. */
function replaced(value: unknown, [name = '', ...rest]: readonly string[], other: unknown): unknown {
  if (!isObject(value)) return value;
  return { ...value, [name]: rest.length > 0 ? replaced(value[name], rest, other) : other };
}

function put(target: object, [name = '', ...rest]: readonly string[], value: unknown): void {
  const inner: unknown = Reflect.get(target, name);
  if (rest.length > 0 && isObject(inner)) put(inner, rest, value);
  else Reflect.set(target, name, value);
}
