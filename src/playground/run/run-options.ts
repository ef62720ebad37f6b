import type { RunOptions, Tool } from '../../sdk/index.js';

/** Options of a run except task, keys and callbacks: plain data that the setup panel edits. */
export interface RunSettings {
  readonly model: string;
  /** Empty to let the service choose by the model's name. */
  readonly upstream: string;
  readonly protocol: NonNullable<RunOptions['protocol']>;
  readonly strategy: NonNullable<RunOptions['strategy']>;
  readonly maxSteps: number;
  readonly instructions: string;
  readonly tokenLimit: number;
  readonly reservedOutputTokens: number;
  /** Share of the free budget for files, from 0 to 1. */
  readonly contextShare: number;
  /** Paths of the files in the context. */
  readonly tagged: readonly string[];
  /** Paths of files that are kept when the budget is short. */
  readonly pinned: readonly string[];
  /** Path of the file that is open, as an editor would report it. */
  readonly focus: string | null;
  readonly disabledTools: readonly string[];
}

/** File contents by path: the service cannot read the browser's folder, so each request contains them. */
export type Contents = ReadonlyMap<string, string>;

/** Returns the paths whose contents a run with these settings needs. */
export const neededPaths = ({ tagged, pinned, focus }: RunSettings): readonly string[] => [
  ...new Set([...tagged, ...pinned, ...(focus === null ? [] : [focus])]),
];

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
      reservedOutputTokens: settings.reservedOutputTokens,
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

function contextOf({ tagged, pinned, focus }: RunSettings, contents: Contents): RunOptions['context'] {
  const filesOf = (paths: readonly string[]) =>
    paths
      .flatMap((path) => ({ path, content: contents.get(path) }))
      .flatMap(({ path, content }) => (content === undefined ? [] : { path, content }));
  const files = filesOf([...new Set([...tagged, ...(focus === null ? [] : [focus])])]);
  const pinnedItems = filesOf(pinned).map(({ path, content }) => ({ id: path, title: path, content }));
  return {
    ...(tagged.length > 0 && { paths: tagged }),
    ...(pinned.length > 0 && { pinned }),
    ...(focus !== null && { focus: { last_focused_file_path: focus } }),
    ...(files.length + pinnedItems.length > 0 && { inline: { files, pinned_items: pinnedItems } }),
  };
}
