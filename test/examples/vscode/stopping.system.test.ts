import { expect, test } from '@jest/globals';
import { readTrajectory } from '../../../src/sdk/index.js';
import { until } from '../../support/until.js';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import { answering, calling, ended, send, shownToModel, step } from './side-view.js';

const files = { 'a.ts': 'export const a = 1;\n', 'b.ts': 'export const b = 2;\n' };
const read = calling('read_file(path="a.ts")');

describeWorkbench('stopping and resuming runs in the extension', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));

  test('Stop in the extension aborts a model call at the provider, and a new task can follow', async () => {
    const workbench = await suite.open({ files });
    const asked = suite.service.fake.requests.length;
    suite.service.fake.script({ fault: 'silence' });
    await send(workbench, 'Wait for ever.');
    const request = await suite.service.fake.request(asked);
    await workbench.view.getByRole('button', { name: 'Stop' }).click();
    expect(await ended(workbench)).toContain('Stopped.');
    expect(await request.ended).toBe('aborted');
    suite.service.fake.script(answering('Here.'));
    await send(workbench, 'And now?');
    await workbench.view.getByText('Answered.', { exact: true }).first().waitFor();
    expect(shown()).toContain('And now?');
  });

  test('Stop in the extension ends a run during a tool, and no further call is made', async () => {
    const workbench = await suite.open({ files });
    const asked = suite.service.fake.requests.length;
    suite.service.fake.script([read]);
    await workbench.probe('holdReads');
    await send(workbench, 'Read it.');
    await workbench.view.getByText('Running read_file').waitFor();
    await workbench.view.getByRole('button', { name: 'Stop' }).click();
    expect(await ended(workbench)).toContain('Stopped.');
    await workbench.probe('releaseReads');
    expect(suite.service.fake.requests.length).toBe(asked + 1);
  });

  test('the extension asks the model’s question, and the model reads the chosen answer', async () => {
    const workbench = await suite.open({ files });
    const { view } = workbench;
    suite.service.fake.script([
      calling('request_input(question="Which currency?", choices=["francs", "euros"])'),
      calling('request_input(question="And how many digits?")'),
      answering('Set.'),
    ]);
    await send(workbench, 'Set the currency.');
    await view.getByRole('heading', { name: 'Which currency?' }).waitFor();
    await view.getByRole('button', { name: 'euros' }).click();
    await view.getByRole('heading', { name: 'And how many digits?' }).waitFor();
    expect(shown()).toContain('euros');
    await view.getByLabel('Your answer').fill('two, always');
    await view.getByRole('button', { name: 'Answer' }).click();
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('two, always');
  });

  test('a run interrupted by a reload is shown as interrupted and resumes after its last complete step', async () => {
    const workbench = await suite.open({ files });
    const { view } = workbench;
    const asked = suite.service.fake.requests.length;
    let calls = 0;
    suite.service.fake.script(
      () => [read, { fault: 'silence' as const }][calls++] ?? answering('Both are read.'),
    );
    await send(workbench, 'Read a.');
    const second = await suite.service.fake.request(asked + 1);
    await workbench.reload();
    expect(await second.ended).toBe('aborted');
    const interrupted = view.getByRole('region', { name: 'Interrupted run' });
    expect(await interrupted.innerText()).toContain('reloaded in the middle of this run');
    expect(await step(workbench, 1).innerText()).toContain('read_file');
    await interrupted.getByRole('button', { name: 'Go on' }).click();
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('export const a = 1;');
    expect(await view.getByRole('article').last().innerText()).toContain('Both are read.');
  });

  test('a step shown as done is already stored: an immediate reload loses nothing', async () => {
    const workbench = await suite.open({ files });
    const { view } = workbench;
    suite.service.fake.script([
      read,
      calling('edit_file(path="b.ts", old_string="2", new_string="3")'),
      { fault: 'silence' },
    ]);
    await send(workbench, 'Raise b.');
    await step(workbench, 2).getByText('asked').waitFor();
    await workbench.reload();
    await view.getByRole('region', { name: 'Interrupted run' }).waitFor();
    expect(await step(workbench, 1).innerText()).toContain('done');
    expect(await step(workbench, 2).innerText()).toContain('edit_file');
    suite.service.fake.script([
      calling('edit_file(path="b.ts", old_string="2", new_string="3")'),
      { fault: 'silence' },
    ]);
    await view.getByRole('button', { name: 'Go on' }).click();
    await view.getByRole('region', { name: 'Approval' }).getByRole('button', { name: 'Accept' }).click();
    await view.getByText('done').last().waitFor();
    await until(async () => (await view.getByText('done').count()) === 2);
    await workbench.reload();
    await view.getByRole('region', { name: 'Interrupted run' }).waitFor();
    expect(await view.getByText('done').count()).toBe(2);
    expect(await view.getByText('export const b = 3').count()).toBe(1);
  });

  test('an unsent task survives hiding the view and a reload', async () => {
    const workbench = await suite.open({ files });
    const box = workbench.view.getByRole('textbox', { name: 'Task' });
    await box.fill('A task that is half');
    await workbench.runCommand('workbench.view.explorer');
    await workbench.runCommand('stepwise.show');
    await until(async () => (await box.inputValue()) === 'A task that is half');
    await box.fill('A task that is half written');
    await until(
      async () => await workbench.stored(),
      (text) => text.includes('A task that is half written'),
    );
    await workbench.reload();
    expect(await box.inputValue()).toBe('A task that is half written');
    suite.service.fake.script(answering('Read.'));
    await workbench.view.getByRole('button', { name: 'Send' }).click();
    await ended(workbench);
    expect(await box.inputValue()).toBe('');
    await until(async () => !(await workbench.stored()).includes('half written"'));
  });

  test('an ended run is restored after a reload and removed by "New task"', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script([read, answering('It is 1.')]);
    await send(workbench, 'What is a?');
    await ended(workbench);
    await workbench.reload();
    expect(await step(workbench, 2).innerText()).toContain('It is 1.');
    await workbench.view.getByRole('button', { name: 'New task' }).click();
    await workbench.view.getByText('Give the agent a task.').waitFor();
    await until(async () => !(await workbench.stored()).includes('It is 1.'));
    await workbench.reload();
    await workbench.view.getByText('Give the agent a task.').waitFor();
  });

  test('a run that failed before its first step still shows its failure after a reload, and a new task can follow', async () => {
    const workbench = await suite.open({
      files,
      settings: { 'stepwise.model': 'x', 'stepwise.upstream': '' },
    });
    const end = workbench.view.getByRole('region', { name: 'End of the run' });
    await send(workbench, 'What is a?');
    const told = await end.innerText();
    expect(told).toContain('stepwise.upstream');
    await workbench.reload();
    expect(await end.innerText()).toBe(told);
    await workbench.view.getByRole('textbox', { name: 'Task' }).waitFor();
  });

  test('the SDK reads a run exported by the extension', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script([read, answering('It is 1.')]);
    await send(workbench, 'What is a?');
    await ended(workbench);
    const exporting = workbench.runCommand('stepwise.exportRun');
    await until(async () => (await workbench.inputBox.inputValue()).endsWith('stepwise-run.json'));
    await workbench.inputBox.press('Enter');
    await exporting;
    const saved = readTrajectory(await workbench.readFile('stepwise-run.json'));
    expect(saved).toMatchObject({
      task: 'What is a?',
      result: { stopReason: 'answered', answer: 'It is 1.' },
    });
  });
});
