import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isRunning } from '../../support/is-running.js';
import { until } from '../../support/until.js';
import { describeDesktop, type OpenFolder } from '../../support/vscode-desktop/describe-desktop.js';
import { answering, calling, ended, send, shownToModel, step } from '../vscode/side-view.js';

const done = answering('Done.');
const running = (command: string) => calling(`run_command(command=${JSON.stringify(command)})`);

/** Starts three endless processes that print their ids: the command, a background child and one in a new session. */
const endless = [
  'echo $$ >> pids',
  '(echo $BASHPID >> pids; sleep 1000) &',
  "setsid bash -c 'echo $$ >> pids; sleep 1000' &",
  'echo begun; sleep 1000',
].join('\n');

describeDesktop('commands in the desktop editor', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));
  const card = ({ window }: OpenFolder) => window.view.getByRole('region', { name: 'Approval' });

  async function begin(...commands: string[]): Promise<OpenFolder> {
    const opened = await suite.open({ files: { 'notes.md': '# Notes\n' } });
    suite.service.fake.script([...commands.map(running), done]);
    await send(opened.window, 'Run it.');
    await card(opened).waitFor();
    return opened;
  }

  /** Waits for all processes of the command and returns their ids. */
  async function processesOf({ folder }: OpenFolder): Promise<readonly number[]> {
    const read = () =>
      existsSync(join(folder, 'pids'))
        ? readFileSync(join(folder, 'pids'), 'utf8').split('\n').filter(Boolean)
        : [];
    await until(() => read().length === 3);
    const pids = read().map(Number);
    expect(pids.every(isRunning)).toBe(true);
    return pids;
  }

  test('an allowed command runs in the folder; terminal and model get the end of its output and its exit code', async () => {
    const opened = await begin('pwd; echo "key=$OPENAI_API_KEY."; touch made; seq 20000; exit 3');
    expect(await card(opened).innerText()).toContain('seq 20000; exit 3');
    expect(existsSync(join(opened.folder, 'made'))).toBe(false);
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    expect(await ended(opened.window)).toContain('Answered.');
    expect(existsSync(join(opened.folder, 'made'))).toBe(true);
    const { terminal } = opened.window;
    await until(async () => /\b19999\s+20000\b/.test(await terminal.innerText()));
    expect(shown()).toContain('Exit code 3.');
    expect(shown()).toContain(`${opened.folder}\n`);
    expect(shown()).toContain('key=.');
    expect(shown()).toMatch(/\n19999\n20000\n/);
  });

  test('a denied command does not run, and the model reads the reason', async () => {
    const opened = await begin('touch made');
    await card(opened).getByRole('button', { name: 'Reject…' }).click();
    await opened.window.view.getByLabel('Why not? The model is told.').fill('Nothing is to be made.');
    await opened.window.view.getByRole('button', { name: 'Reject', exact: true }).click();
    await ended(opened.window);
    expect(existsSync(join(opened.folder, 'made'))).toBe(false);
    expect(shown()).toContain('Nothing is to be made.');
    expect(await step(opened.window, 1).innerText()).toContain('denied');
  });

  test('Stop ends a command with all its descendants and keeps its output', async () => {
    const opened = await begin(endless);
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    const processes = await processesOf(opened);
    await opened.window.view.getByRole('button', { name: 'Stop' }).click();
    expect(await ended(opened.window)).toContain('Stopped.');
    await until(() => !processes.some(isRunning));
    suite.service.fake.script(done);
    await send(opened.window, 'What did it say?');
    await opened.window.view.getByText('Answered.', { exact: true }).first().waitFor();
    expect(shown()).toContain('Interrupted before it was done. Output so far:\nbegun\n');
  });

  test('reloading the window ends its command; the run is then shown as interrupted', async () => {
    const opened = await begin(endless);
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    const processes = await processesOf(opened);
    await opened.window.reload();
    await until(() => !processes.some(isRunning));
    await opened.window.view.getByRole('region', { name: 'Interrupted run' }).waitFor();
  });

  test('a command gets a new terminal after the last one was closed', async () => {
    const opened = await begin('echo first-of-two', 'echo second-of-two');
    const { window } = opened;
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    await until(
      async () => await window.terminal.innerText(),
      (text) => text.includes('first-of-two'),
    );
    await card(opened).getByText('second-of-two').first().waitFor();
    await window.runCommand('Terminal: Kill the Active Terminal Instance');
    await window.terminal.waitFor({ state: 'detached' });
    await card(opened).getByRole('button', { name: 'Accept' }).click();
    expect(await ended(window)).toContain('Answered.');
    await until(async () => /\$ echo second-of-two\s+second-of-two/.test(await window.terminal.innerText()));
    expect(await window.terminal.innerText()).not.toContain('first-of-two');
  });
});
