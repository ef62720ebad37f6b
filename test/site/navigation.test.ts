import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const pagesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

test('the navigation of the site names every page of docs/ and docs/reference/', async () => {
  const { navigation }: { navigation: Record<string, readonly string[]> } = await import(
    resolve('site/navigation.js')
  );
  const named = Object.values(navigation).flat();
  expect(named).toEqual(expect.arrayContaining([...pagesIn('docs'), ...pagesIn('docs/reference')]));
});

test('each guide begins with the readers it is for', () => {
  const unclear = pagesIn('docs').filter((page) => !/^# .+\n\nFor /.test(readFileSync(page, 'utf8')));
  expect(unclear).toEqual([]);
});
