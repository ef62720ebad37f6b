import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { defineTool } from '../../../src/sdk/actions/define-tool.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import { axeFindings } from '../../support/axe.js';
import { describePlayground, type Playground } from '../../support/playground.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const main = join(process.cwd(), '.build/src/cli/main.js');
const root = temporaryFolder();

const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  execute: ({ path }) => `content of ${path}\n`.repeat(20),
});

const llm_config = {
  modelName: 'scripted',
  provider: 'local',
  tokenLimit: 8_000,
  reservedOutputTokens: 500,
};

const replies = (task: string) => [
  { text: `Thought: I begin ${task}.\nAction: read_file(path="a.ts")` },
  { text: 'Thought: I read on.\nAction: read_file(path="b.ts")' },
  { text: `Thought: I know.\nFinal Answer: Done with ${task}.` },
];

/** Makes three steps through `react_step`, as a back end with the SDK does. */
async function runThroughSdk({ service }: Playground, task: string): Promise<void> {
  service.fake.script(replies(task));
  const run = new StepwiseClient({ baseUrl: service.url }).run(task, {
    llmConfig: llm_config,
    tools: [readFile],
  });
  await run.result();
}

interface ChatMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

/** Makes three steps through `/v1/chat/completions`, as an agent with its own loop does. */
async function runThroughChat({ service }: Playground, task: string, system: string): Promise<void> {
  service.fake.script(replies(task));
  const { name, description, inputSchema: parameters } = readFile;
  const tools = [{ type: 'function', function: { name, description, parameters } }];
  const messages: ChatMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: task },
  ];
  for (let step = 0; step < 3; step += 1) {
    const response = await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local/scripted', messages, tools }),
    });
    // Cast: the form of OpenAI's chat completions.
    const answer = (await response.json()) as { choices: readonly { message: ChatMessage }[] };
    const message = answer.choices[0]?.message;
    if (!message) throw new Error(JSON.stringify(answer));
    const results = (message.tool_calls ?? []).map(({ id }) => ({
      role: 'tool',
      content: 'a result',
      tool_call_id: id,
    }));
    messages.push(message, ...results);
  }
}

const session = (page: Page, task: string) =>
  page.locator('.live-session').filter({ has: page.getByRole('heading', { name: task, exact: true }) });

async function openLive({ page, button }: Playground): Promise<void> {
  await button('Live').click();
  await page.getByText('Connected: each step').waitFor();
}

/** Counts in the page the listeners of abort signals that are added and not yet removed. */
const COUNT_ABORT_LISTENERS = `
  globalThis.abortListeners = 0;
  for (const [name, change] of [['addEventListener', 1], ['removeEventListener', -1]])
    AbortSignal.prototype[name] = function (...args) {
      abortListeners += change;
      return EventTarget.prototype[name].apply(this, args);
    };
`;

describePlayground(
  'the Live page (rule: playground-live)',
  (playground) => {
    test('the Live page shows the steps of react_step and /v1 as they happen, grouped, the newest on top', async () => {
      const { page } = playground;
      await openLive(playground);
      await page.getByText('No client has asked for a step yet.').waitFor();
      await runThroughSdk(playground, 'the total');
      await runThroughChat(playground, 'the kettle', 'Be brief.');
      const rows = session(page, 'the kettle').getByRole('button');
      await rows.filter({ hasText: 'answers' }).waitFor();
      expect(await rows.allInnerTexts()).toEqual([
        expect.stringMatching(/answers[\s\S]* in [\s\S]* out[\s\S]*scripted · \/v1\/chat\/completions/),
        expect.stringContaining('calls read_file'),
        expect.stringContaining('calls read_file'),
      ]);
      expect(await session(page, 'the total').getByRole('button').count()).toBe(3);
      expect(await page.locator('.live-task').allInnerTexts()).toEqual(['the kettle', 'the total']);
    });

    test('a running step and a failed one are visible, the failed one with its code', async () => {
      const { page, service } = playground;
      await openLive(playground);
      service.fake.script([{ fault: 'payment-required' }]);
      await service.step({ user_query: 'the fault', llm_config });
      await page.locator('.live-step-failed').getByText('upstream_billing').waitFor();
      service.fake.script([{ text: 'Final Answer: Late.', delayMs: 1_500 }]);
      const slow = service.step({
        user_query: 'the delay',
        llm_config: {
          modelName: 'scripted',
          provider: 'local',
          tokenLimit: 8_000,
          reservedOutputTokens: 500,
        },
      });
      const running = page.locator('.live-step-running');
      await running.waitFor();
      expect(await running.innerText()).toMatch(/running[\s\S]*\d s/);
      await slow;
      await session(page, 'the delay').getByText('answers').waitFor();
      expect(await running.count()).toBe(0);
    });

    test('a chosen step shows its prompt, budget and reply, and the first difference of a changed system text', async () => {
      const { page } = playground;
      await openLive(playground);
      await runThroughChat(playground, 'the cache', 'It is 12:00. Be brief.');
      await runThroughChat(playground, 'the cache', 'It is 12:05. Be brief.');
      const rows = page.locator('.live-step').filter({ hasText: 'prefix changed' });
      await rows.first().click();
      const details = page.getByRole('region', { name: 'Details of the step' });
      await details.getByText('The cached prefix ends early.').waitFor();
      const cache = await details.getByRole('region', { name: 'Prompt cache' }).innerText();
      expect(cache).toMatch(/about [\d.]+k? of [\d.]+k? tokens[\s\S]*in the system text/);
      expect(cache.replaceAll('\n', ' ')).toMatch(
        /before.*It is 12:00\. Be brief.*now.*It is 12:05\. Be brief/,
      );
      await details.getByRole('tab', { name: 'Context' }).click();
      await details.getByText('Nothing was left out.').waitFor();
      await details.getByRole('tab', { name: 'Reply' }).click();
      await details.getByText('A call to a tool').waitFor();
      expect(await axeFindings(page)).toEqual([]);
    });

    test('the arrow keys move between steps, and Enter opens the focused step', async () => {
      const { page } = playground;
      await openLive(playground);
      await page.locator('.live-step').first().focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^Step \d of \d$/ }).waitFor();
      expect(await page.locator('.live-step').nth(1).getAttribute('aria-pressed')).toBe('true');
    });

    test('a session becomes a run of the page, and a branch can begin at the chosen step', async () => {
      const { page, button } = playground;
      await runThroughChat(playground, 'the fork', 'Be brief.');
      await openLive(playground);
      const second = session(page, 'the fork').getByRole('button').nth(1);
      await second.click();
      await button('Open as a run').click();
      await page.getByText('Done with the fork.').first().waitFor();
      expect(page.url()).toMatch(/#\/run-\d+\/step\/2$/);
      await button('Live').click();
      await second.click();
      await button('Fork from here…').click();
      await page.getByRole('dialog', { name: 'Branch from step 2' }).waitFor();
    });

    test('a session saved as a test is read by stepwise eval --parser-only', async () => {
      const { page, button } = playground;
      await runThroughSdk(playground, 'the test');
      await openLive(playground);
      await session(page, 'the test').getByRole('button').first().click();
      const download = page.waitForEvent('download');
      await button('Save as a test').click();
      const saved = await download;
      expect(saved.suggestedFilename()).toBe('stepwise-the-test.json');
      mkdirSync(join(root, 'runs'));
      await saved.saveAs(join(root, 'runs', saved.suggestedFilename()));
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [main, 'eval', 'runs', '--parser-only', '--json', 'report.json'],
        { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: root } },
      );
      expect([status, stderr]).toEqual([0, expect.any(String)]);
      expect(stdout + stderr).toMatch(/\b3\b/);
    });

    test('the Live page reports a failed connection, reconnects without leaving listeners, and shows the steps made meanwhile', async () => {
      const { page, button } = playground;
      const path = '**/api/agent/watch';
      await page.evaluate(COUNT_ABORT_LISTENERS);
      await page.route(path, (route) => route.abort());
      await button('Live').click();
      await page.getByText('The connection was cut.').waitFor();
      await runThroughSdk(playground, 'the cut');
      await page.unroute(path);
      await page.getByText('Connected: each step').waitFor();
      await session(page, 'the cut').getByText('answers').waitFor();
      expect(await page.evaluate('abortListeners')).toBe(0);
      playground.troubles.splice(0); // the browser logs the failed requests
    });
  },
  {},
  { WATCH: 'on' },
);

describePlayground('the Live page of a service that keeps no steps (rule: playground-live)', (playground) => {
  test('the page names the setting and the command that turn the Live page on', async () => {
    const { page, button } = playground;
    await button('Live').click();
    await page.getByText('restart it with WATCH=on (in its repository: `WATCH=on npm start`)').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await button('Back to your runs').click();
    await button('Run').waitFor();
    playground.troubles.splice(0); // the browser logs the status 404
  });
});
