import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the editor that the environment names. */
export const editorOf = (environment: NodeJS.ProcessEnv): string | undefined =>
  environment['VISUAL'] || environment['EDITOR'] || undefined;

/** Opens a text in the editor and returns the edited text. Throws an `Error` with the reason if the editor fails. */
export async function editInFile(
  editor: string,
  { name, text }: { name: string; text: string },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'stepwise-'));
  const file = join(folder, name);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The editor may include arguments ("code --wait"), so the shell parses it.
    const quoted = process.platform === 'win32' ? `"${file}"` : `'${file}'`;
    const child = spawn(`${editor} ${quoted}`, { stdio: 'inherit', shell: true });
    const [status, signal] = await once(child, 'close');
    if (status !== 0) throw new Error(`the editor ended with ${signal ?? `exit code ${status}`}: ${editor}`);
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
