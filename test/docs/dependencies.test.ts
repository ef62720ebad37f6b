import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const record = readFileSync('docs/decisions/dependencies.md', 'utf8');
const rows = [...record.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));

test('the decision record on dependencies lists exactly the production dependencies', () => {
  const { dependencies, optionalDependencies = {} } = packageJson;
  const named = rows.filter((name) => name !== 'package' && !/^-+$/.test(name));
  expect(named.sort()).toEqual([...Object.keys(dependencies), ...Object.keys(optionalDependencies)].sort());
});

test('no production package runs an install script, and each declares its licence', () => {
  const packages = Object.entries<{ hasInstallScript?: boolean; dev?: boolean; license?: string }>(
    lock.packages,
  );
  const production = packages.filter(([path, { dev }]) => path !== '' && !dev);
  expect(production.length).toBeGreaterThan(50);
  expect(production.filter(([, { hasInstallScript, license }]) => hasInstallScript || !license)).toEqual([]);
});

test('package.json turns off the install reports of scarf', () => {
  expect(packageJson.scarfSettings).toEqual({ enabled: false });
});
