import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The person's editor, if the environment names one. */
export const editorOf = (environment: NodeJS.ProcessEnv): string | undefined =>
  environment['VISUAL'] || environment['EDITOR'] || undefined;

/** The text as the person left it in an editor; undefined where that ended with an error. */
export async function editInFile(
  editor: string,
  { name, text }: { name: string; text: string },
): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'stepwise-'));
  const file = join(folder, name);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The editor may come with its own arguments ("code --wait"): the shell takes it apart.
    const quoted = process.platform === 'win32' ? `"${file}"` : `'${file}'`;
    const child = spawn(`${editor} ${quoted}`, { stdio: 'inherit', shell: true });
    const [status] = await once(child, 'close');
    return status === 0 ? readFileSync(file, 'utf8') : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
