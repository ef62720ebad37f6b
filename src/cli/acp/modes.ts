import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';

/** A session mode: whether file changes need approval. Commands always need it. */
export type ModeId = 'ask' | 'accept-edits';

const modes = [
  { id: 'ask', name: 'Ask', description: 'Asks before each file change and each command.' },
  {
    id: 'accept-edits',
    name: 'Accept edits',
    description:
      'Changes files without asking, unless a name in the path begins with a dot. Asks before each command.',
  },
] as const satisfies readonly { readonly id: ModeId; readonly name: string; readonly description: string }[];

/** Id of the setting that chooses the mode. */
export const MODE_OPTION = 'mode';

/** Returns the modes that the editor can offer, and the current one. */
export const modeState = (currentModeId: ModeId): SessionModeState => ({
  currentModeId,
  availableModes: modes.map((mode) => ({ ...mode })),
});

/** Returns the modes in the form of a setting, because editors that display settings hide the modes. */
export const modeOption = (currentValue: ModeId): SessionConfigOption => ({
  id: MODE_OPTION,
  name: 'Mode',
  category: 'mode',
  type: 'select',
  currentValue,
  options: modes.map(({ id, ...described }) => ({ value: id, ...described })),
});

/** Returns the mode with this id, or undefined if there is none. */
export const toModeId = (id: unknown): ModeId | undefined => modes.find((mode) => mode.id === id)?.id;
