import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ApprovalRules } from '../../../src/cli/approval/approval-rules.js';
import type { ApprovalRule } from '../../../src/sdk/actions/approval.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const home = temporaryFolder();
const testIt: ApprovalRule = { type: 'call', tool: 'run_command', args: { command: 'npm test' } };
const look: ApprovalRule = { type: 'reads', tool: 'look' };

test('approval rules are stored once per folder with mode 0600, and can be removed (rule: always-rules)', async () => {
  const file = join(home, 'config/approvals.json');
  const [shop, bank] = [new ApprovalRules('/shop', file), new ApprovalRules('/bank', file)];
  await shop.add(testIt);
  await shop.add({ args: { command: 'npm test' }, tool: 'run_command', type: 'call' });
  await shop.add(look);
  await bank.add(testIt);
  expect(await shop.load()).toEqual([testIt, look]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await shop.remove(testIt);
  expect(await shop.load()).toEqual([look]);
  expect(await bank.load()).toEqual([testIt]);
});

test.each([
  '{',
  '[]',
  '7',
])('a damaged approvals file (%s) allows nothing and is not overwritten', async (text) => {
  const file = join(home, 'damaged.json');
  writeFileSync(file, text);
  const rules = new ApprovalRules('/shop', file);
  expect(await rules.load()).toEqual([]);
  await expect(rules.add(look)).rejects.toThrow();
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('damaged and outdated approval rules are ignored, and the others kept', async () => {
  const file = join(home, 'partly.json');
  const former = { tool: 'run_command', command_prefix: 'npm' };
  writeFileSync(file, JSON.stringify({ '/shop': [former, null, { type: 'call', tool: 'x' }, look] }));
  expect(await new ApprovalRules('/shop', file).load()).toEqual([look]);
  expect(await new ApprovalRules('__proto__', file).load()).toEqual([]);
});
