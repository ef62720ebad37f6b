import { expect, test } from '@jest/globals';
import { hostileMarkdown } from '../../support/hostile-markdown.js';
import { describeWorkbench } from '../../support/vscode/describe-workbench.js';
import type { Workbench } from '../../support/vscode/workbench.js';
import { answering, calling, ended, send, unfoldAll } from './side-view.js';

const hostile: Readonly<Record<string, string>> = {
  ...hostileMarkdown,
  'links of many kinds':
    '[press](javascript:globalThis.ran=true) [or](data:text/html,<script>1</script>) [or](https://example.invalid/) <https://example.invalid/>',
  'a command of the editor': '[press](command:workbench.action.closeAllEditors)',
  'one line of a million characters': 'x'.repeat(1_000_000),
};

describeWorkbench('text of a model in the view', (suite) => {
  test('hostile text in an answer runs nothing, loads nothing and stays inside its box', async () => {
    const workbench = await suite.open({ files: {} });
    const { view } = workbench;
    for (const [name, text] of Object.entries(hostile)) {
      suite.service.fake.script({ ...answering(text), chunks: [answering(text).text ?? ''] });
      await workbench.runCommand('stepwise.newTask');
      await send(workbench, `Answer with ${name}.`);
      expect([name, await ended(workbench)]).toEqual([name, expect.stringContaining('Answered.')]);
      expect([name, await effectsOf(workbench)]).toEqual([name, { ran: null, elements: 0, overflow: 0 }]);
    }
    await view.getByRole('textbox', { name: 'Task' }).waitFor();
  });

  test('hostile text in thought, call, arguments and result runs nothing and stays inside its box', async () => {
    const markup = '<img src=x onerror=globalThis.ran=true>';
    const workbench = await suite.open({ files: { [`a${markup}.ts`]: `${markup}\n` } });
    suite.service.fake.script([
      calling(`read_file(path="a${markup}.ts")`, `See ${markup} ![b](https://example.invalid/b.png)`),
      calling(`write_file(path="b${markup}.ts", content="${markup}")`),
    ]);
    await send(workbench, `Read ${markup}.`);
    await workbench.view.getByRole('region', { name: 'Approval' }).waitFor();
    await unfoldAll(workbench);
    expect(await effectsOf(workbench)).toEqual({ ran: null, elements: 0, overflow: 0 });
    expect(await workbench.page.evaluate('globalThis.ran ?? null')).toBe(null);
  });

  test('an approval card marks direction override characters', async () => {
    const workbench = await suite.open({ files: {} });
    suite.service.fake.script([calling('write_file(path="notes\u202Etxt.md", content="a\u200Bb")')]);
    await send(workbench, 'Write.');
    const card = workbench.view.getByRole('region', { name: 'Approval' });
    await card.waitFor();
    const shown = await card.innerText();
    expect(shown).not.toMatch(/[\u200B\u202A-\u202E\u2066-\u2069]/);
    expect(shown).toMatch(/202E/i);
  });
});

/** Collects evidence from the view: executed code, forbidden elements, and overflowing content. */
const effectsOf = async (workbench: Workbench): Promise<unknown> =>
  (await workbench.viewFrame()).evaluate(`({
    ran: globalThis.ran ?? null,
    elements: document.querySelectorAll('main :is(script, img, svg, iframe, style, form[action], object, embed, a)').length,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  })`);
