import type { SessionModeState } from '@agentclientprotocol/sdk';

/** Whether changes of files are asked about. Commands always are. */
export type ModeId = 'ask' | 'accept-edits';

const modes = [
  { id: 'ask', name: 'Ask', description: 'Each change of a file and each command is asked about.' },
  {
    id: 'accept-edits',
    name: 'Accept edits',
    description:
      'Files are changed without asking, but for names that begin with a dot. Commands are asked about.',
  },
] as const satisfies readonly { readonly id: ModeId; readonly name: string; readonly description: string }[];

/** What an editor shows to choose from. */
export const modeState = (currentModeId: ModeId): SessionModeState => ({
  currentModeId,
  availableModes: modes.map((mode) => ({ ...mode })),
});

/** Undefined for a mode that there is not. */
export const toModeId = (id: string): ModeId | undefined => modes.find((mode) => mode.id === id)?.id;
