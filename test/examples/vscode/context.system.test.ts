import { expect, test } from '@jest/globals';
import { until } from '../../support/until.js';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import { answering, ended, send, shownToModel } from './side-view.js';

const files = {
  'src/total.ts': 'export const first = 1;\nexport const second = 2;\nexport const third = 3;\n',
  'src/tax.ts': 'export const tax = 0.081;\n',
  'src/open.ts': 'export const open = true;\n',
  'docs/tagged.md': 'This file was tagged.\n',
  'docs/named.md': 'This file is named in the task.\n',
  '.env': 'PASSWORD=canary-of-the-environment\n',
  'image.png': '\u0000\u0001 not an image',
  'data.bin': '\u0000\u0001 not a text',
  'picture.gif': 'GIF89aAAAA of two pixels',
  'plan.pdf': '%PDF-1.7\n1 0 obj<</Type /Page>>endobj\n',
};

describeWorkbench('context of a task in the extension', (suite) => {
  const shown = () => shownToModel(suite.service.fake.requests.at(-1));

  test('the model gets the focused file with selection and unsaved text, open editors, tagged and named files', async () => {
    const workbench = await suite.open({ files });
    const { view } = workbench;
    suite.service.fake.script(answering('Seen.'));
    await workbench.openFile('src/open.ts');
    await workbench.openFile('src/total.ts');
    await workbench.probe('replaceText', `// never saved\n${files['src/total.ts']}`);
    await workbench.openFile('src/total.ts', 'export const second = 2;');
    await workbench.probe('runOnFile', 'stepwise.tagFile', 'docs/tagged.md');
    const chips = view.getByRole('list', { name: 'Files of the task' });
    await until(async () => (await chips.getByRole('listitem').count()) === 3);
    expect((await chips.innerText()).replaceAll(/[\s×]+/g, ' ').trim()).toBe(
      'tagged.md tagged total.ts:3 in focus open.ts open',
    );
    await send(workbench, 'What do you see? Look at @docs/named.md.');
    expect(await ended(workbench)).toContain('Answered.');
    expect(shown()).toContain('// never saved');
    expect(shown()).toContain('export const open = true;');
    expect(shown()).toContain('This file was tagged.');
    expect(shown()).toContain('This file is named in the task.');
    expect(shown()).toMatch(/src\/total\.ts[^\n]*3/);
    expect(shown()).not.toContain('export const tax');
    expect(await workbench.readFile('src/total.ts')).toBe(files['src/total.ts']);
  });

  test('typing @ suggests workspace files, and the keyboard accepts one', async () => {
    const { view } = await suite.open({ files });
    const box = view.getByRole('textbox', { name: 'Task' });
    await box.pressSequentially('Look at @nam');
    await view.getByRole('option', { name: 'docs/named.md' }).waitFor();
    await box.press('Tab');
    expect(await box.inputValue()).toBe('Look at @docs/named.md ');
  });

  test('a file removed from the task is not sent', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script(answering('Seen.'));
    await workbench.openFile('src/tax.ts');
    await workbench.openFile('src/open.ts');
    await workbench.view.getByRole('button', { name: 'Leave out src/tax.ts' }).click();
    await workbench.view.getByRole('button', { name: 'Leave out src/tax.ts' }).waitFor({ state: 'detached' });
    await send(workbench, 'What do you see?');
    await ended(workbench);
    expect(shown()).toContain('export const open = true;');
    expect(shown()).not.toContain('0.081');
  });

  test('a secrets file and a binary file are refused with a reason and not sent', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script(answering('Seen.'));
    await workbench.openFile('.env');
    await send(workbench, 'Look at @image.png and @data.bin, please.');
    await ended(workbench);
    const refusals = await workbench.view.getByRole('list', { name: 'Not sent' }).innerText();
    expect(refusals).toContain('.env is a file of secrets by its name, so it is not sent.');
    expect(refusals).toContain('image.png is no PNG, JPEG, WebP, GIF or PDF file, so it is not sent.');
    expect(refusals).toContain('data.bin is a binary file, so it is not sent.');
    expect(JSON.stringify(suite.service.fake.requests.at(-1)?.body)).not.toContain(
      'canary-of-the-environment',
    );
  });

  test('the model sees the images and PDF files that the person tags or names', async () => {
    const workbench = await suite.open({ files });
    suite.service.fake.script(answering('Seen.'));
    await workbench.probe('runOnFile', 'stepwise.tagFile', 'picture.gif');
    await workbench.view.getByRole('list', { name: 'Files of the task' }).getByText('picture.gif').waitFor();
    await send(workbench, 'What do you see? Look at @plan.pdf too.');
    expect(await ended(workbench)).toContain('Answered.');
    const sent = suite.service.fake.requests.at(-1)?.rawBody ?? '';
    for (const [type, path] of [
      ['image/gif', 'picture.gif'],
      ['application/pdf', 'plan.pdf'],
    ] as const)
      expect(sent).toContain(`data:${type};base64,${Buffer.from(files[path]).toString('base64')}`);
    expect(await workbench.view.getByRole('list', { name: 'Not sent' }).count()).toBe(0);
  });

  test('the view lists files that did not fit with their reasons, and a click opens one', async () => {
    const long = Array.from({ length: 3_000 }, (_, line) => `export const value${line} = compute(${line});`);
    const workbench = await suite.open({
      files: { ...files, 'src/long.ts': long.join('\n') },
      settings: { 'stepwise.tokenLimit': 4_000 },
    });
    const { view } = workbench;
    suite.service.fake.script(answering('Seen.'));
    await workbench.openFile('src/long.ts');
    await workbench.openFile('src/tax.ts');
    await send(workbench, 'What do you see?');
    await ended(workbench);
    const budget = view.getByRole('region', { name: 'Token budget' });
    expect(await budget.innerText()).toMatch(/of 4,000 tokens/);
    await budget.getByText(/Left out or cut: 1/).click();
    const row = budget.getByRole('list', { name: 'Left out' }).getByRole('listitem');
    expect(await row.innerText()).toMatch(/^src\/long\.ts\s+\S/);
    await row.getByRole('button', { name: 'src/long.ts' }).click();
    await until(async () => (await workbench.editors()).active?.path === 'src/long.ts');
  });
});
