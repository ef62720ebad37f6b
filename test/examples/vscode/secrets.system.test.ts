import { expect, test } from '@jest/globals';
import type { Request } from 'playwright-core';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../support/vscode/workbench.js';
import { key } from '../../support/whole-service.js';
import { answering, ended, send } from './side-view.js';

describeWorkbench('the model key', (suite) => {
  test('the model key is in the editor’s secret storage and one header to the service, and nowhere else', async () => {
    const settings = { 'stepwise.upstream': 'openai', 'stepwise.model': 'gpt-4o' };
    const workbench = await suite.open({ files: { 'a.ts': 'export const a = 1;\n' }, settings });
    const { page } = workbench;
    const sent: Request[] = [];
    const said: string[] = [];
    page.on('request', (request) => sent.push(request));
    page.on('console', (message) => said.push(message.text()));
    await setKey(workbench);
    suite.service.fake.script(answering('No.'));
    await send(workbench, 'Is the key seen?');
    expect(await ended(workbench)).toContain('Answered.');
    await workbench.runCommand('stepwise.show');

    const steps = sent.filter((request) => request.url().includes('/react_step'));
    expect(steps.map((request) => request.headers()['x-llm-api-key'])).toEqual([key]);
    for (const request of sent) {
      const { 'x-llm-api-key': _, ...others } = request.headers();
      expect(JSON.stringify([request.url(), others, request.postData()])).not.toContain(key);
    }
    expect(suite.service.fake.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(JSON.stringify(await page.evaluate('self.secrets'))).toContain(key);
    const frame = await workbench.viewFrame();
    const places = {
      settings: JSON.stringify(await workbench.probe('settings')),
      storage: await workbench.stored(),
      storageOfView: await workbench.stored(frame),
      workbench: await page.content(),
      view: await frame.content(),
      console: said.join('\n'),
      log: suite.service.log.join('\n'),
    };
    expect(
      Object.entries(places)
        .filter(([, text]) => String(text).includes(key))
        .map(([place]) => place),
    ).toEqual([]);
    expect(String(places.storage)).toContain('Is the key seen?');
  });

  test('a cleared model key is no longer sent', async () => {
    const settings = { 'stepwise.upstream': 'openai', 'stepwise.model': 'gpt-4o' };
    const workbench = await suite.open({ settings });
    await setKey(workbench);
    await workbench.runCommand('stepwise.clearModelKey');
    expect(JSON.stringify(await workbench.page.evaluate('self.secrets'))).not.toContain(key);
    await send(workbench, 'Answer.');
    expect(await ended(workbench)).toContain('This model needs a key.');
    suite.troubles.splice(
      0,
      suite.troubles.length,
      ...suite.troubles.filter((each) => !each.includes('Failed to load')),
    );
  });

  async function setKey(workbench: Workbench): Promise<void> {
    const setting = workbench.runCommand('stepwise.setModelKey');
    await workbench.inputBox.waitFor();
    expect(await workbench.inputBox.getAttribute('type')).toBe('password');
    await workbench.inputBox.fill(key);
    await workbench.inputBox.press('Enter');
    await setting;
  }
});
