interface Search {
  /** Maximum number of paths to return. */
  readonly limit: number;
  /** The top-level field whose schema keeps unknown fields, and which is therefore not searched. */
  readonly kept: string;
}

/**
 * Returns the paths of the fields that a schema dropped. A value that the schema passes through unchanged is the
 * same object in `sent` and `read`, so it is not searched.
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

/** Returns a field name chosen by the caller if it is harmless in a message, otherwise a placeholder. */
const printable = (name: string): string => (/^[\w.-]{1,64}$/.test(name) ? name : '(unusual name)');
