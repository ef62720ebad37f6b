import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { Allowance } from '../limits/caller-limits.js';

/** A caller as named by an entry in the file of tokens (rule: bearer-tokens). */
export interface Caller {
  /** Name in the log. */
  readonly name: string;
  /** Allowed project ids, in lower case. */
  readonly projects: ReadonlySet<string> | 'all';
  /** Milliseconds since 1970; `Infinity` for a token that does not expire. */
  readonly expiresAt: number;
  readonly allowance: Allowance;
  /** True if the caller may watch the steps of its projects (rule: watch). */
  readonly mayWatch?: true;
}

export interface TokenEntry {
  readonly sha256: string;
  readonly caller: Caller;
}

/**
 * Thrown if the file of tokens is invalid. Each problem names the place in the file and what to write there, and
 * quotes no value.
 */
export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Maximum size of a file of tokens, enough for more than a thousand entries. Reloading a larger file would block
 * the event loop.
 */
export const MAX_TOKEN_FILE_BYTES = 2 ** 18;

/** Reads the entries of a file of tokens, in YAML or JSON (rule: token-file). Throws `TokenFileError`. */
export function readTokenEntries(text: string): readonly TokenEntry[] {
  const result = fileSchema.safeParse(readYaml(text));
  if (!result.success) throw new TokenFileError([...new Set(result.error.issues.map(toProblem))]);
  const entries = result.data.tokens;
  const problems = [
    ...findRepeated(entries, 'name', ({ caller }) => caller.name),
    ...findRepeated(entries, 'sha256', ({ sha256 }) => sha256),
  ];
  if (problems.length > 0) throw new TokenFileError(problems);
  return entries;
}

/**
 * Parses YAML or JSON. Reports only the position of a syntax error, because the parser's message quotes the file,
 * which may contain a token by mistake.
 */
function readYaml(text: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new TokenFileError([`line ${line}, column ${col}: expected YAML or JSON`]);
  }
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new TokenFileError(['expected YAML or JSON without aliases']);
  }
}

const NAME = 'expected a name of at most 64 letters, digits, `_`, `.` and `-`, such as ci';
const SHA256 =
  'expected the SHA-256 of the token, 64 hexadecimal digits in quotes; `stepwise token NAME` prints an entry';
const PROJECTS = 'expected all, or a list of project ids (UUIDs)';
const EXPIRES = 'expected a day such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z';

const DAY_MS = 86_400_000;
const isDay = (text: string): boolean => !text.includes('T');

/** Schema of an expiry time. A date without a time means the end of that day in UTC. */
export const expirySchema = z
  .union([z.iso.date(EXPIRES), z.iso.datetime({ offset: true, error: EXPIRES })], { error: EXPIRES })
  .transform((text) => Date.parse(text) + (isDay(text) ? DAY_MS : 0));

/** Schema of a caller's name. Rejects texts that look like a secret, because names are logged. */
export const callerNameSchema = z.string(NAME).regex(/^(?!sk-|stepwise_)[a-z\d][\w.-]{0,63}$/i, NAME);

export const projectIdSchema = z.uuid(PROJECTS).toLowerCase();

const LIMITS = 'expected an object with any of requestsPerMinute, requestsAtOnce and tokensPerDay';
/** Maximum number of concurrent requests of a token whose entry sets none. */
export const DEFAULT_REQUESTS_AT_ONCE = 32;

const LIMIT = 'expected a whole number of at least 1';
const limit = z.int(LIMIT).min(1, LIMIT).optional();
const limitsSchema = z.strictObject(
  { requestsPerMinute: limit, requestsAtOnce: limit, tokensPerDay: limit },
  { error: LIMITS },
);

const entrySchema = z
  .strictObject(
    {
      name: callerNameSchema,
      sha256: z
        .string(SHA256)
        .regex(/^[\da-f]{64}$/i, SHA256)
        .toLowerCase(),
      projects: z.union([z.literal('all'), z.array(projectIdSchema)], { error: PROJECTS }),
      expires: expirySchema.optional(),
      limits: limitsSchema.optional(),
      watch: z.boolean('expected true or false').optional(),
    },
    { error: 'expected an object with name, sha256, projects and optionally expires, limits and watch' },
  )
  .transform(
    ({ name, sha256, projects, expires, limits, watch }): TokenEntry => ({
      sha256,
      caller: {
        name,
        projects: projects === 'all' ? projects : new Set(projects),
        expiresAt: expires ?? Number.POSITIVE_INFINITY,
        allowance: { ...limits, requestsAtOnce: limits?.requestsAtOnce ?? DEFAULT_REQUESTS_AT_ONCE },
        ...(watch && { mayWatch: true }),
      },
    }),
  );

const WHOLE = 'expected `tokens:` and a list of entries; `stepwise token NAME` prints one';
const fileSchema = z.strictObject({ tokens: z.array(entrySchema, WHOLE) }, { error: WHOLE });

/** Formats an issue as `tokens[2].sha256: …`. */
function toProblem({ path, message }: z.core.$ZodIssue): string {
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return path.length < 2 ? message : `${place.slice(1)}: ${message}`;
}

function findRepeated(
  entries: readonly TokenEntry[],
  field: keyof z.input<typeof entrySchema>,
  textOf: (entry: TokenEntry) => string,
): string[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, index) => {
    const isRepeated = seen.has(textOf(entry));
    seen.add(textOf(entry));
    return isRepeated
      ? [`tokens[${index}].${field}: an earlier entry has the same value; each entry needs its own`]
      : [];
  });
}
