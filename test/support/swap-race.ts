import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { diskTree } from '../../src/files/disk/disk-tree.js';
import { type OpenedCheck, openContained } from '../../src/files/disk/open-contained.js';
import { listNearest } from '../../src/files/walk-folder.js';
import { projectFolderSource } from '../../src/service/context/sources/project-folder.js';
import { writeFiles } from './temporary-folder.js';

/** Text that occurs in the content and the name of every file outside the project, so that a leak can be found. */
export const CANARY = 'CANARY-from-outside';

/**
 * Script of a thread that swaps a file inside the project and a link to the outside under the same name, as fast
 * as the file system allows.
 */
const attacker = `
  const { renameSync } = require('node:fs');
  const { workerData, parentPort } = require('node:worker_threads');
  const { names, swaps } = workerData;
  for (let swap = 0; swap < swaps; swap += 1) {
    for (const name of names) {
      renameSync(name, name + '.inside');
      renameSync(name + '.outside', name);
      renameSync(name, name + '.outside');
      renameSync(name + '.inside', name);
    }
  }
  parentPort.postMessage('done');
`;

export interface RaceResult {
  readonly reads: number;
  /** Number of reads that returned content from inside the project. */
  readonly inside: number;
  /** Everything that was read or listed from outside the project; must stay empty. */
  readonly leaked: readonly string[];
}

/**
 * Reads files and folders while their names, and the names of the folders above them, are swapped for links to the
 * outside.
 */
export async function raceAgainstSwaps(home: string, swaps: number, check: OpenedCheck): Promise<RaceResult> {
  const root = layOut(home);
  const names = ['file.txt', 'folder', 'above'].map((name) => join(root, name));
  const worker = new Worker(attacker, { eval: true, workerData: { names, swaps } });
  let running = true;
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
  }).finally(() => {
    running = false;
  });
  const readers = [
    () => readWith(root, 'file.txt', check),
    () => readWith(root, 'folder/file.txt', check),
    () => readWith(root, 'above/below/file.txt', check),
    () => readFolder(root, 'folder'),
    () => listFolder(root, 'above'),
  ];
  const results: string[] = [];
  const readOn = async (read: () => Promise<string>) => {
    while (running) results.push(await read());
  };
  await Promise.all([ended, ...readers.map(readOn)]);
  await worker.terminate();
  return {
    reads: results.length,
    inside: results.filter((text) => text.includes('inside')).length,
    leaked: results.filter((text) => text.includes(CANARY)),
  };
}

function layOut(home: string): string {
  const root = join(home, 'root');
  const outside = join(home, 'outside');
  mkdirSync(root, { recursive: true });
  writeFiles(outside, { 'file.txt': CANARY, 'below/file.txt': CANARY, [CANARY]: CANARY });
  writeFiles(root, { 'file.txt': 'inside', 'folder/file.txt': 'inside', 'above/below/file.txt': 'inside' });
  symlinkSync(join(outside, 'file.txt'), join(root, 'file.txt.outside'));
  symlinkSync(outside, join(root, 'folder.outside'));
  symlinkSync(outside, join(root, 'above.outside'));
  return root;
}

async function readWith(root: string, path: string, check: OpenedCheck): Promise<string> {
  const opened = await openContained(root, path, check).catch(() => undefined);
  if (!opened) return '';
  try {
    return await opened.handle.readFile('utf8');
  } finally {
    await opened.handle.close();
  }
}

async function readFolder(root: string, path: string): Promise<string> {
  const folder = await projectFolderSource(root).read(path, new AbortController().signal);
  return JSON.stringify(folder ?? null);
}

async function listFolder(root: string, path: string): Promise<string> {
  return (await listNearest(diskTree(root), path, new AbortController().signal)).paths.join('\n');
}
