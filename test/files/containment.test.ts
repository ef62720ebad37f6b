import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { checkByKernel, checkByWalk } from '../../src/files/disk/open-contained.js';
import { gatherContext } from '../../src/service/context/gather-context.js';
import { projectFolderSource } from '../../src/service/context/sources/project-folder.js';
import { stepRequest } from '../support/step-request.js';
import { CANARY, raceAgainstSwaps } from '../support/swap-race.js';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.js';

const home = temporaryFolder();
const root = join(home, 'root');
const signal = new AbortController().signal;
const source = projectFolderSource(root);

const secrets = [
  '.env',
  '.env.local',
  'prod.ENV',
  '.git/config',
  'sub/.git/HEAD',
  '.ssh/known_hosts',
  '.aws/credentials',
  'id_rsa',
  'id_ed25519.pub',
  'server.pem',
  'tls/private.KEY',
  'cert.p12',
  'cert.pfx',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  '.stepwise/pinned/.env.md',
];
writeFiles(home, {
  'secret.txt': CANARY,
  'root-evil/secret.txt': CANARY,
  'root.txt': CANARY,
  'other/.env': CANARY,
});
writeFiles(root, Object.fromEntries(secrets.map((path) => [path, CANARY])));
writeFiles(root, { 'src/inside.ts': 'inside', 'a.ts': 'inside', '.stepwise/pinned/ok.md': 'inside' });

/** Returns everything that a step reports about the requested context, as text. */
async function reportFor(fields: Parameters<typeof stepRequest>[0]): Promise<string> {
  return JSON.stringify(await gatherContext(stepRequest(fields), [source], signal));
}

function traversals(): string[] {
  const ups = [
    '../',
    '..\\',
    '.././',
    './../',
    '..//',
    '....//',
    '..;/',
    '%2e%2e/',
    '%2e%2e%2f',
    '..%2f',
    '..%5c',
    '..%c0%af',
    '%252e%252e%252f',
    '．．/',
    '..\0/',
    '\u2025/',
    '.../',
    '..\u2215',
  ];
  const targets = ['secret.txt', 'root-evil/secret.txt', 'root.txt', 'other/.env', 'root/.env', 'etc/passwd'];
  const starts = ['', '/', './', 'src/', 'src/../', 'a.ts/', '.stepwise/pinned/', '\\', 'src\\'];
  const climbs = [1, 2, 4, 12];
  const relative = starts.flatMap((start) =>
    ups.flatMap((up) =>
      climbs.flatMap((depth) => targets.map((target) => start + up.repeat(depth) + target)),
    ),
  );
  const absolute = [
    '',
    'file://',
    'C:',
    '//localhost',
    '\\\\?\\',
    '//?/C:',
    '~',
    '$HOME',
    '/proc/self/root',
    '/dev/fd/..',
  ].flatMap((start) =>
    [`${home}/secret.txt`, `${root}/../secret.txt`, '/etc/passwd', '/proc/self/environ'].map(
      (path) => start + path,
    ),
  );
  return [...relative, ...absolute].flatMap((path) => [path, `${path}:1-2`]).slice(0, 9_000);
}

describe('path payloads (rule: containment)', () => {
  const payloads = traversals().filter((path) => !path.includes('\0') || path.length < 40);
  const batches = Array.from({ length: Math.ceil(payloads.length / 1_000) }, (_, index) =>
    payloads.slice(index * 1_000, (index + 1) * 1_000),
  );

  test('at least 2,000 different path payloads are tried', () => {
    expect(new Set(payloads).size).toBeGreaterThanOrEqual(2_000);
  });

  test.each(
    batches.map((batch, index) => [index, batch] as const),
  )('tagged paths and pinned ids outside the project are reported as unavailable, batch %i', async (_, batch) => {
    const gathered = await gatherContext(
      stepRequest({ explicit_context_paths: batch, pinned_item_ids_to_include: batch }),
      [source],
      signal,
    );
    expect(gathered.groups).toEqual([]);
    expect(gathered.missing).toHaveLength(batch.length * 2);
    expect(new Set(gathered.missing.map(({ reason, status }) => `${status}: ${reason}`))).toEqual(
      new Set(['unavailable: not found or not readable']),
    );
  });

  test('nothing is read from disk for a focus file or search result with a path outside the project', async () => {
    for (const path of payloads.filter((_, index) => index % 9 === 0)) {
      const focus = await gatherContext(
        stepRequest({ implicit_context: { last_focused_file_path: path } }),
        [source],
        signal,
      );
      expect(focus.focus).toBeUndefined();
      const report = await reportFor({ vector_search_results_to_include: [{ path, content: 'mine' }] });
      expect(report).not.toContain(CANARY);
    }
  });

  test.each(
    secrets,
  )('the secret file %s is refused when it is requested by name, and omitted from listings', async (path) => {
    const [folder = '.'] = /^.*(?=\/)/.exec(path) ?? [];
    expect(await source.read(path, signal)).toBeUndefined();
    expect(await source.read(`./${path}`, signal)).toBeUndefined();
    const report = await reportFor({ explicit_context_paths: ['.', folder] });
    expect(report).not.toContain(CANARY);
    expect(report).not.toContain(JSON.stringify(path).slice(1, -1).concat('\\n'));
  });
});

describe('symbolic links (rule: containment)', () => {
  const links: Record<string, string> = {
    'file-link': join(home, 'secret.txt'),
    'relative-link': '../secret.txt',
    'folder-link': home,
    'sibling-link': join(home, 'root-evil'),
    'parent-link': '..',
    'root-link': '/',
    'chain-1': 'chain-2',
    'chain-2': 'src/chain-3',
    'src/chain-3': '../../secret.txt',
    'loop-1': 'loop-2',
    'loop-2': 'loop-1',
    'to-env': '.env',
    'to-git': '.git',
    'innocent.txt': 'server.pem',
    '.stepwise/pinned/linked.md': '../../../secret.txt',
    'proc-link': '/proc/self/environ',
    'escape-and-return': '../root/../secret.txt',
  };
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));

  test.each(
    Object.keys(links),
  )('the symbolic link %s to an outside or secret path is not followed', async (link) => {
    for (const path of [
      link,
      `${link}/secret.txt`,
      `${link}/config`,
      `${link}/root/.env`,
      `${link}/etc/passwd`,
    ]) {
      expect(await source.read(path, signal)).toBeUndefined();
    }
  });

  test('pinned items are not read through links out of the project', async () => {
    expect(await source.readPinned('linked', signal)).toBeUndefined();
    expect(await source.readPinned('ok', signal)).toMatchObject({ content: 'inside' });
  });

  test("links are omitted from a folder's listing", async () => {
    const folder = await source.read('.', signal);
    expect(folder?.type === 'folder' && folder.listing).toEqual([
      '.stepwise/pinned/ok.md',
      'a.ts',
      'src/inside.ts',
    ]);
    expect(JSON.stringify(folder)).not.toContain(CANARY);
  });

  test.each([
    ['the kernel', checkByKernel],
    ['a walk', checkByWalk],
  ])('no text from outside is read if a file or folder is swapped for a link between check and open, checked by %s', async (name, check) => {
    const { reads, leaked } = await raceAgainstSwaps(join(home, 'race', name), 1_000, check);
    expect(leaked).toEqual([]);
    expect(reads).toBeGreaterThan(10);
  });
});

describe('special files in a project folder (rule: containment)', () => {
  const special = join(home, 'special');
  mkdirSync(special, { recursive: true });
  const specialSource = projectFolderSource(special);
  const fifos = Array.from({ length: 25 }, (_, index) => `fifo-${index}.txt`);
  const sockets = Array.from({ length: 10 }, (_, index) => `socket-${index}`);
  const devices = ['zero', 'null', 'random', 'full', 'tty', 'stdin', 'fd', 'shm', 'ptmx', 'urandom'];
  const sparse = Array.from({ length: 5 }, (_, index) => `sparse-${index}.txt`);
  execFileSync(
    'mkfifo',
    fifos.map((name) => join(special, name)),
  );
  for (const name of devices) symlinkSync(`/dev/${name}`, join(special, name));
  writeFiles(special, Object.fromEntries(sparse.map((name) => [name, ''])));
  for (const name of sparse) truncateSync(join(special, name), 2 ** 40);
  const servers = sockets.map((name) => createServer().listen(join(special, name)));
  afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

  test('50 pipes, sockets, device links and huge files are not read, do not block, and do not prevent listing their folder', async () => {
    const names = [...fifos, ...sockets, ...devices, ...sparse];
    expect(names).toHaveLength(50);
    const found = await Promise.all(names.map((name) => specialSource.read(name, signal)));
    expect(found.filter((each) => each !== undefined)).toEqual([]);
    expect(await specialSource.read('.', signal)).toEqual({
      type: 'folder',
      path: '.',
      listing: sparse,
      files: [],
    });
  }, 10_000);
});
