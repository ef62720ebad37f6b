import {
  addTokenEntry,
  toTokenFile,
  type WrittenEntry,
} from '../../service/operations/access/add-token-entry.js';
import { createToken, digestOf } from '../../service/operations/access/token.js';
import {
  callerNameSchema,
  expirySchema,
  projectIdSchema,
  TokenFileError,
} from '../../service/operations/access/token-entries.js';
import type { Terminal } from '../screen/terminal.js';
import type { Invocation } from './read-arguments.js';
import { exitCodes, UsageError } from './usage.js';

type TokenCommand = Extract<Invocation, { command: 'token' }>;

/**
 * Creates a token of the service (rule: token-command). Prints only the token to standard output, once. Adds the entry
 * for the token to the named file, or else prints the entry to standard error. Resolves to the exit code.
 */
export async function makeToken(command: TokenCommand, { progress }: Terminal): Promise<number> {
  const token = createToken();
  const entry = toEntry(command, token);
  if (command.file !== undefined) await add(command.file, entry);
  const entryText =
    command.file === undefined ? `${ENTRY_BELOW}\n\n${toTokenFile(entry)}\n` : added(command.file);
  progress.write(entryText);
  process.stdout.write(`${token}\n`);
  progress.write(TOKEN_ABOVE);
  return exitCodes.answered;
}

const ENTRY_BELOW = 'Put this entry into the file that AUTH_TOKENS_FILE of the service names:';
const added = (file: string): string => `The entry is in ${file}; the service reloads the file at once.\n`;
const TOKEN_ABOVE = 'The token is the line above. It is not shown again: the file holds its SHA-256 only.\n';

async function add(file: string, entry: WrittenEntry): Promise<void> {
  try {
    await addTokenEntry(file, entry);
  } catch (error) {
    if (error instanceof TokenFileError) throw new UsageError(`${file}: ${error.problems.join('; ')}.`);
    throw error;
  }
}

function toEntry({ name, projects, expires, watch }: TokenCommand, token: string): WrittenEntry {
  if (!callerNameSchema.safeParse(name).success) throw new UsageError(NAME);
  const wrong = projects.find((project) => !projectIdSchema.safeParse(project).success);
  if (wrong !== undefined) throw new UsageError('--project must be the id of a project, a UUID.');
  return {
    name,
    sha256: digestOf(token),
    projects: projects.length === 0 ? 'all' : projects,
    ...(expires !== undefined && { expires: readExpiry(expires) }),
    ...(watch && { watch }),
  };
}

const NAME =
  'The name of a token appears in the log: use at most 64 letters, digits, "_", "." and "-", beginning with a letter or a digit, such as ci.';
const EXPIRES =
  '--expires must be a date or time in the future, such as 2027-01-31 or 2027-01-31T12:00:00Z, or 90d.';

const DAY_MS = 86_400_000;

/** Reads a date, or a number of days from now such as `90d`. */
function readExpiry(text: string): string {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  const written = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : text;
  const expiry = expirySchema.safeParse(written);
  if (!expiry.success || expiry.data <= Date.now()) throw new UsageError(EXPIRES);
  return written;
}
