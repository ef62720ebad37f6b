import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelChoice } from '../session/choose-model.js';
import { stateFolder, writeAtomically } from '../state/user-files.js';
import { type ModeId, toModeId } from './modes.js';

/** The settings of a session that a later load restores. */
export interface KeptSettings {
  readonly mode: ModeId;
  readonly model: ModelChoice;
}

/** The id of a session, and the real path of its folder. */
interface SessionName {
  readonly folder: string;
  readonly id: string;
}

/**
 * Stores the settings of a session in a file that only this person can read. They are not in the saved run, because
 * continuing a saved run must not grant permissions.
 */
export async function keepSettings(session: SessionName, settings: KeptSettings): Promise<void> {
  await writeAtomically(fileOf(session), `${JSON.stringify(settings)}\n`);
}

/** Returns the settings of a session, or undefined if none are stored or the file is damaged. */
export async function readKeptSettings(session: SessionName): Promise<KeptSettings | undefined> {
  try {
    const { mode, model }: Partial<Record<string, unknown>> = Object(
      JSON.parse(await readFile(fileOf(session), 'utf8')),
    );
    const { name, upstream }: Partial<Record<string, unknown>> = Object(model);
    const modeId = toModeId(mode);
    if (!modeId || typeof name !== 'string' || name === '') return undefined;
    return { mode: modeId, model: { name, upstream: typeof upstream === 'string' ? upstream : undefined } };
  } catch {
    return undefined;
  }
}

/** Returns the file of a session. The id is hashed, because a saved run can contain any text as its session id. */
function fileOf({ folder, id }: SessionName): string {
  const name = createHash('sha256')
    .update(JSON.stringify([folder, id]))
    .digest('hex')
    .slice(0, 32);
  return join(stateFolder(), 'editor-sessions', `${name}.json`);
}
