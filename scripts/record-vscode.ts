/**
 * Takes the pictures of the VS Code extension in real VS Code in Chromium: `npm run record:vscode`. A scripted
 * model goes from a task to an accepted change. Needs Chromium, and `npm ci` in examples/vscode.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode } from 'fast-png';
import type { ScriptedReply } from '../src/offline/testing.js';
import { exampleNamed } from '../test/support/example.js';
import { WorkbenchStack } from '../test/support/vscode/workbench-stack.js';

const target = join(process.cwd(), 'docs/recordings');
const shop = join(process.cwd(), 'examples/shop');
const path = 'src/pricing/coupons.js';

const replies: readonly ScriptedReply[] = [
  {
    text: `Thought: Coupons are priced in \`src/pricing\`; I read how one is worked out.\nAction: read_file(path="${path}")`,
  },
  {
    text: `Thought: The minimum is compared, but an empty cart is not. I return early when there is nothing to pay.\nAction: edit_file(path="${path}", old_string="if (subtotal < (coupon.minimumCents ?? 0)) return 0;", new_string="if (subtotal < (coupon.minimumCents ?? 0)) return 0;\\n  if (subtotal === 0) return 0;")`,
    chunkDelayMs: 120,
  },
  {
    text: "Thought: The change is in place.\nFinal Answer: **A coupon never takes more than the subtotal.** `couponDiscount` returns 0 for:\n\n- a cart below the coupon's minimum,\n- an empty cart, which `src/pricing/coupons.js` now checks.",
  },
];

/** The files of the example project `shop`, by path. */
const files = Object.fromEntries(
  readdirSync(shop, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file.slice(shop.length + 1), readFileSync(file, 'utf8')]),
);

async function takePictures(stack: WorkbenchStack, theme: 'light' | 'dark'): Promise<void> {
  stack.service.fake.script(replies);
  const workbench = await stack.open({ files, theme, settings: { 'stepwise.tokenLimit': 6_000 } });
  const { page, view } = workbench;
  await page.setViewportSize({ width: 860, height: 640 }); // keeps the pictures small
  const shoot = async (name: string) => {
    await page.mouse.move(715, 17); // away from anything that reacts to the pointer
    await page.waitForTimeout(400); // until animations have ended
    const picture = decode(await page.screenshot());
    // The picture is compressed again without loss, to about three quarters of its size.
    writeFileSync(join(target, `vscode-${name}-${theme}.png`), encode(picture, { zlib: { level: 9 } }));
  };
  await workbench.runCommand('workbench.action.closePanel');
  await workbench.probe('setSetting', 'editor.minimap.enabled', false);
  await workbench.openFile('src/money.js');
  await workbench.openFile(path, 'coupon.minimumCents');
  await workbench.probe('runOnFile', 'stepwise.tagFile', 'src');
  await view
    .getByRole('textbox', { name: 'Task' })
    .fill('A coupon must never take more than the subtotal. Check it.');
  await view.getByRole('list', { name: 'Files of the task' }).getByText('tagged').waitFor();
  await shoot('idle');
  await view.getByRole('button', { name: 'Send' }).click();
  await view.getByText('an empty cart').waitFor();
  await shoot('running');
  const approval = view.getByRole('region', { name: 'Approval' });
  await approval.waitFor();
  await page.locator('.monaco-diff-editor').waitFor();
  await shoot('approval');
  await approval.getByRole('button', { name: 'Accept' }).click();
  await view.getByRole('region', { name: 'End of the run' }).waitFor();
  await view.getByText(/Left out or cut/).click();
  await view.getByRole('list', { name: 'Left out' }).getByRole('listitem').nth(6).scrollIntoViewIfNeeded();
  await shoot('left-out');
  await stack.closePages();
}

await exampleNamed('vscode').prepare();
const stack = new WorkbenchStack();
try {
  await stack.start();
  await takePictures(stack, 'light');
  await takePictures(stack, 'dark');
} finally {
  await stack.close();
}
