import type { RunOptions, Tool } from '../../sdk/index.js';

/** Options of a run except task, keys and callbacks: plain data that the setup panel edits. */
export interface RunSettings {
  readonly model: string;
  /** Name of the upstream; empty to let the service choose one by the model's name. */
  readonly upstream: string;
  readonly protocol: NonNullable<RunOptions['protocol']>;
  readonly strategy: NonNullable<RunOptions['strategy']>;
  readonly maxSteps: number;
  readonly instructions: string;
  readonly tokenLimit: number;
  /** Fraction of the token limit that is reserved for the reply. */
  readonly reserveShare: number;
  /** Fraction of the free tokens that files may use, from 0 to 1. */
  readonly contextShare: number;
  /** Paths of the files and folders in the context. */
  readonly tagged: readonly string[];
  /** Paths of files that come before the tagged ones when the budget is short. */
  readonly pinned: readonly string[];
  /** Path of the file that is open, as an editor would report it. */
  readonly focus: string | null;
  readonly disabledTools: readonly string[];
}

/** Minimum number of tokens for a reply. */
const MIN_RESERVE = 100;

/** Returns the number of tokens reserved for the reply. */
export const reserveOf = ({ tokenLimit, reserveShare }: Pick<RunSettings, 'tokenLimit' | 'reserveShare'>) =>
  Math.max(MIN_RESERVE, Math.round(reserveShare * tokenLimit));

/** File contents by path: the service cannot read the browser's folder, so each request contains them. */
export type Contents = ReadonlyMap<string, string>;

/**
 * Returns the paths whose contents a run with these settings needs; `listed` are the files of the project. A tagged
 * path that is not a file is a folder, and stands for the files below it.
 */
export function neededPaths(
  { tagged, pinned, focus }: RunSettings,
  listed: readonly string[],
): readonly string[] {
  const files = new Set(listed);
  const below = tagged
    .filter((path) => !files.has(path))
    .flatMap((folder) => listed.filter((path) => path.startsWith(`${folder}/`)));
  return [
    ...new Set([
      ...pinned,
      ...tagged.filter((path) => files.has(path)),
      ...(focus === null ? [] : [focus]),
      ...below,
    ]),
  ];
}

/** Builds the options of a run. Paths without contents are requested, too, so that the report lists them as missing. */
export function toRunOptions(
  settings: RunSettings,
  tools: readonly Tool[],
  contents: Contents,
): RunOptions & { readonly tools: readonly Tool[] } {
  const { model, upstream, protocol, strategy, maxSteps, instructions, disabledTools } = settings;
  return {
    llmConfig: {
      modelName: model,
      tokenLimit: settings.tokenLimit,
      reservedOutputTokens: reserveOf(settings),
      contextShare: settings.contextShare,
      ...(upstream !== '' && { provider: upstream }),
    },
    tools: tools.filter(({ name }) => !disabledTools.includes(name)),
    protocol,
    strategy,
    maxSteps,
    report: 'full',
    context: contextOf(settings, contents),
    ...(instructions.trim() !== '' && { instructions }),
  };
}

/** Pinned files come first, since the service fills the context in the order of the paths. */
function contextOf({ tagged, pinned, focus }: RunSettings, contents: Contents): RunOptions['context'] {
  const paths = [...new Set([...pinned, ...tagged])];
  const files = [...contents].map(([path, content]) => ({ path, content }));
  return {
    ...(paths.length > 0 && { paths }),
    ...(focus !== null && { focus: { last_focused_file_path: focus } }),
    ...(files.length > 0 && { inline: { files } }),
  };
}
