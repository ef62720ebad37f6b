import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { replaceFile } from '../../src/files/disk/replace-file.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = temporaryFolder();

test('overlapping writes of one file all succeed and leave one whole content', async () => {
  const contents = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(10_000));
  const file = join(folder, 'written.json');
  await Promise.all(contents.map((content) => replaceFile(file, content)));
  expect(contents).toContain(readFileSync(file, 'utf8'));
  expect(readdirSync(folder)).toEqual(['written.json']);
});

test('a write that fails deletes its temporary file', async () => {
  const place = join(folder, 'taken');
  mkdirSync(join(place, 'file.json/inside'), { recursive: true });
  await expect(replaceFile(join(place, 'file.json'), 'text')).rejects.toThrow();
  expect(readdirSync(place)).toEqual(['file.json']);
});
