import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readAttachments } from '../../../src/cli/context/read-attachments.js';
import { ProjectRoot } from '../../../src/tools/project-root.js';
import { pngBytes, webpBytes } from '../../support/attachments.js';

let folder: string;
let root: ProjectRoot;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attachments-'));
  const project = join(folder, 'project');
  await mkdir(join(project, 'folder.png'), { recursive: true });
  await writeFile(join(project, 'a.PNG'), pngBytes(2, 3));
  await writeFile(join(project, 'b.ts'), 'x');
  await writeFile(join(project, 'empty.gif'), '');
  await writeFile(join(project, 'huge.pdf'), Buffer.alloc(3_000_001));
  await writeFile(join(project, 'heic.jpg'), '\0\0\0\x18ftypheic');
  await writeFile(join(project, 'really.jpg'), webpBytes.lossy(2, 3));
  await writeFile(join(folder, 'outside.png'), pngBytes(2, 3));
  await symlink(join(folder, 'outside.png'), join(project, 'link.png'));
  root = await ProjectRoot.open(project);
});
afterAll(() => rm(folder, { recursive: true }));

test('images and PDF files tagged with @ become attachments, and other tagged files and folders remain paths (rule: attachment-limit)', async () => {
  const { attachments, others } = await readAttachments(root, [
    'b.ts',
    'a.PNG',
    'folder.png',
    'a.PNG',
    'none.png',
  ]);
  expect(attachments).toEqual([{ media_type: 'image/png', data: pngBytes(2, 3).toString('base64') }]);
  expect(others).toEqual(['b.ts', 'folder.png', 'none.png']);
});

test.each([
  'empty.gif',
  'huge.pdf',
  'heic.jpg',
])('readAttachments rejects an unusable image or PDF file with an error that names the file: %s', async (path) => {
  await expect(readAttachments(root, [path])).rejects.toThrow(path);
});

test('the media type of an image is read from its bytes, not its name, since vendors refuse a wrong type', async () => {
  const { attachments } = await readAttachments(root, ['really.jpg']);
  expect(attachments.map(({ media_type }) => media_type)).toEqual(['image/webp']);
});

test('an image outside the project folder is not attached through a symbolic link (rule: containment)', async () => {
  expect(await readAttachments(root, ['link.png'])).toEqual({ attachments: [], others: ['link.png'] });
});
