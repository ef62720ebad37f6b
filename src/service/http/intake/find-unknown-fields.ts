interface Search {
  /** The most that are found. */
  readonly limit: number;
  /** The field whose schema keeps what it does not know: that is no news. */
  readonly kept: string;
}

/**
 * Paths of fields that a schema dropped: what was sent, without what came out. Values the schema passes
 * through untouched are the same object on both sides and are not entered.
 */
export function findUnknownFields(sent: unknown, read: unknown, { limit, kept }: Search): string[] {
  const found: string[] = [];
  const compare = (before: unknown, after: unknown, path: readonly string[]): void => {
    if (before === after || !isContainer(before) || !isContainer(after)) return;
    for (const name in before) {
      if (found.length >= limit) return;
      if (name === kept && path.length === 0) continue;
      if (!Object.hasOwn(after, name)) found.push([...path, printable(name)].join('.'));
      else if (before[name] !== after[name]) compare(before[name], after[name], [...path, printable(name)]);
    }
  };
  compare(sent, read, []);
  return found;
}

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** A name is the caller's own text: only what can stand in a message without doubt is repeated. */
const printable = (name: string): string => (/^[\w.-]{1,64}$/.test(name) ? name : '(unusual name)');
