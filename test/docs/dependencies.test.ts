import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const record = readFileSync('docs/decisions/dependencies.md', 'utf8');
const rows = [...record.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));

test('every production dependency has its reason in the decision record, and no other has one', () => {
  const { dependencies, optionalDependencies = {} } = packageJson;
  const named = rows.filter((name) => name !== 'package' && !/^-+$/.test(name));
  expect(named.sort()).toEqual([...Object.keys(dependencies), ...Object.keys(optionalDependencies)].sort());
});

test('the one install script that comes with them is told not to report anything', () => {
  const installed = Object.entries<{ hasInstallScript?: boolean; dev?: boolean }>(lock.packages);
  const scripts = installed.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
  expect(scripts.map(([path]) => path)).toEqual(['node_modules/@scarf/scarf']);
  expect(packageJson.scarfSettings).toEqual({ enabled: false });
});
