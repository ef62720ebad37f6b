import { expect, test } from '@jest/globals';
import { freePort } from '../../support/free-port.js';
import { writeTokenFile } from '../../support/token-file.js';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../support/vscode/workbench.js';
import { startWholeService } from '../../support/whole-service.js';
import { answering, ended, send } from './side-view.js';

const token = 'stepwise_in-the-editor-4c1f7e90b2d83a65';

describeWorkbench('problems with the service in the extension', (suite) => {
  const trouble = ({ view }: Workbench) => view.getByRole('region', { name: 'Service' }).innerText();
  const isWell = ({ view }: Workbench) =>
    view.getByRole('region', { name: 'Service' }).waitFor({ state: 'detached' });

  /** Discards Chromium's own console errors about failed requests. */
  const forgetNetworkErrors = () => {
    const rest = suite.troubles.splice(0).filter((each) => !/Failed to load|blocked by CORS/.test(each));
    suite.troubles.push(...rest);
  };

  test('without a service the extension explains how to start one and offers to check again', async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const workbench = await suite.open({ settings: { 'stepwise.serviceUrl': address } });
    expect(await trouble(workbench)).toContain(
      `No service answers at ${address}. Start it with “stepwise serve”`,
    );
    await workbench.view.getByRole('button', { name: 'Check again' }).waitFor();
    // The web editor has no terminal to start the service in.
    expect(await workbench.view.getByRole('button', { name: 'Start it in a terminal' }).count()).toBe(0);
    forgetNetworkErrors();
  });

  test('the extension names the setting that allows the editor’s origin', async () => {
    const service = await startWholeService(undefined, { CORS_ORIGINS: 'https://elsewhere.example' });
    try {
      const workbench = await suite.open({ settings: { 'stepwise.serviceUrl': service.url } });
      expect(await trouble(workbench)).toContain(`CORS_ORIGINS=${suite.origin}`);
    } finally {
      await service.close();
    }
    forgetNetworkErrors();
  });

  test('the extension offers the command that sets a missing token, and then connects', async () => {
    const tokens = writeTokenFile({ token, name: 'editor' });
    const settings = { CORS_ORIGINS: suite.origin, AUTH_TOKENS_FILE: tokens };
    const service = await startWholeService(answering('Known.'), settings);
    try {
      const workbench = await suite.open({ settings: { 'stepwise.serviceUrl': service.url } });
      expect(await trouble(workbench)).toContain('The service requires a token');
      await workbench.view.getByRole('button', { name: 'Set service token' }).click();
      await workbench.inputBox.fill(token);
      await workbench.inputBox.press('Enter');
      await isWell(workbench);
      await send(workbench, 'Do you know me?');
      expect(await ended(workbench)).toContain('Answered.');
      expect(service.log.join('\n')).not.toContain(token);
    } finally {
      await service.close();
    }
    forgetNetworkErrors();
  });

  test('the extension retries a rate limit, then says when to try again', async () => {
    const workbench = await suite.open();
    suite.service.fake.script({ fault: 'rate-limited', retryAfter: '1' });
    await send(workbench, 'Hurry.');
    expect(await ended(workbench)).toMatch(/Too many requests for the provider\. Ask again in \d+ s/);
    expect(await workbench.view.getByRole('article').first().innerText()).toContain('Retrying in');
    forgetNetworkErrors();
  });

  test('the extension offers the command that sets a missing model key', async () => {
    const settings = { 'stepwise.upstream': 'openai', 'stepwise.model': 'gpt-4o' };
    const workbench = await suite.open({ settings });
    await send(workbench, 'Answer.');
    expect(await ended(workbench)).toContain('This model needs a key.');
    await workbench.view.getByRole('button', { name: 'Set model key' }).click();
    await workbench.inputBox.waitFor();
    forgetNetworkErrors();
  });
});
