import type { SessionModeState } from '@agentclientprotocol/sdk';

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

/** Returns the modes that the editor can offer, and the current one. */
export const modeState = (currentModeId: ModeId): SessionModeState => ({
  currentModeId,
  availableModes: modes.map((mode) => ({ ...mode })),
});

/** Returns the mode with this id, or undefined if there is none. */
export const toModeId = (id: string): ModeId | undefined => modes.find((mode) => mode.id === id)?.id;
