import type { RunOptions, Tool } from '../../sdk/index.js';

/** What a run is made of, but for task, keys and whom to ask: plain data, as the setup panel shows it. */
export interface RunSettings {
  readonly model: string;
  /** Empty: the model's name decides. */
  readonly upstream: string;
  readonly protocol: NonNullable<RunOptions['protocol']>;
  readonly strategy: NonNullable<RunOptions['strategy']>;
  readonly maxSteps: number;
  readonly instructions: string;
  readonly tokenLimit: number;
  readonly reservedOutputTokens: number;
  /** Of the free budget, for files; from 0 to 1. */
  readonly contextShare: number;
  /** Files in the context, by their paths. */
  readonly tagged: readonly string[];
  /** Files that stay when it gets tight. */
  readonly pinned: readonly string[];
  /** The file a person looks at, as an editor would say. */
  readonly focus: string | null;
  /** By their names. */
  readonly disabledTools: readonly string[];
}

/** Contents by path: the service does not see the browser's folder, so they travel with each request. */
export type Contents = ReadonlyMap<string, string>;

/** The paths whose contents a run with these settings needs. */
export const neededPaths = ({ tagged, pinned, focus }: RunSettings): readonly string[] => [
  ...new Set([...tagged, ...pinned, ...(focus === null ? [] : [focus])]),
];

/** The options of a run with these settings. A path without contents is asked for all the same: the report says that it is missing. */
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
