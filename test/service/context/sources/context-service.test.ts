import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ContextServiceFailed,
  contextServiceSource,
} from '../../../../src/service/context/sources/context-service.js';
import { collectGarbage } from '../../../support/collect-garbage.js';
import { listen } from '../../../support/listen.js';
import { temporaryFolder, writeFiles } from '../../../support/temporary-folder.js';

const projectId = '0190a4c8-5b7e-7cc0-8000-000000000001';
const signal = new AbortController().signal;
const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

/** Starts a context service on loopback with the given request listener. */
async function serve(listener: RequestListener, options: { timeoutMs?: number; maxBytes?: number } = {}) {
  const server = createServer(listener);
  const url = await listen(server);
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return contextServiceSource({ url: `${url}/base/`, projectId, ...options });
}

const json =
  (body: unknown, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

describe('the protocol of docs/context-service.md', () => {
  test('the context service source sends each path and each id as one percent-encoded URL segment', async () => {
    const urls: (string | undefined)[] = [];
    const source = await serve((request, response) => {
      urls.push(request.url);
      json({ type: 'file', content: 'text', id: 'x' })(request, response);
    });
    await source.read('./src/a b?&#/ü.ts', signal);
    await source.readPinned('house-rules', signal);
    expect(urls).toEqual([
      `/base/projects/${projectId}/files?path=src%2Fa%20b%3F%26%23%2F%C3%BC.ts`,
      `/base/projects/${projectId}/pinned/house-rules`,
    ]);
  });

  test('the user and password of the URL are sent as Basic authentication, percent-decoded', async () => {
    const sent: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      sent.push(request.url, request.headers.authorization);
      json({ type: 'file', content: 'text' })(request, response);
    });
    const url = (await listen(server)).replace('://', '://reader:p%40ss%2Fword@');
    closing.push(async () => server.close());
    const source = contextServiceSource({ url, projectId, headers: () => ({ traceparent: '00-1' }) });
    expect(await source.read('a.ts', signal)).toMatchObject({ content: 'text' });
    const credentials = Buffer.from('reader:p@ss/word').toString('base64');
    expect(sent).toEqual([`/projects/${projectId}/files?path=a.ts`, `Basic ${credentials}`]);
  });

  test('the context service source reads files, folders and pinned items, and omits paths outside the folder', async () => {
    const file = await serve(
      json({ type: 'file', path: 'else/where.ts', content: 'a\n', cut: true, more: 1 }),
    );
    expect(await file.read('a.ts', signal)).toEqual({
      type: 'file',
      path: 'a.ts',
      content: 'a\n',
      cut: true,
    });
    const folder = await serve(
      json({
        type: 'folder',
        listing: ['src/b.ts', 'src/a.ts', '../x', 'srcx/c.ts', 'src/.env', 7, 'src/../y', 'src/a.ts'],
        files: [
          { path: 'src/b.ts', content: 'b' },
          { path: 'src/a.ts', content: 'a' },
          { path: '/etc/passwd', content: 'no' },
          { path: 'src/key.pem', content: 'no' },
        ],
      }),
    );
    expect(await folder.read('src', signal)).toEqual({
      type: 'folder',
      path: 'src',
      listing: ['src/a.ts', 'src/b.ts'],
      files: [
        { type: 'file', path: 'src/a.ts', content: 'a' },
        { type: 'file', path: 'src/b.ts', content: 'b' },
      ],
    });
    const pinned = await serve(json({ id: 'other', title: 'Rules', content: 'Be brief.' }));
    expect(await pinned.readPinned('rules', signal)).toEqual({
      id: 'rules',
      title: 'Rules',
      content: 'Be brief.',
    });
  });

  test('a 404 of the context service means "not found", and invalid paths and ids are not sent', async () => {
    let asked = 0;
    const source = await serve((request, response) => {
      asked += 1;
      json({ error: 'not found' }, 404)(request, response);
    });
    expect(await source.read('a.ts', signal)).toBeUndefined();
    expect(await source.readPinned('rules', signal)).toBeUndefined();
    for (const path of ['../a', '/etc/passwd', 'a\\b', '.env', '.git/config', 'a\0b']) {
      expect(await source.read(path, signal)).toBeUndefined();
    }
    for (const id of ['..', '../x', 'a/b', 'a?b', ''])
      expect(await source.readPinned(id, signal)).toBeUndefined();
    expect(asked).toBe(2);
  });
});

describe('invalid responses of the context service (rule: context-service)', () => {
  const wrong: Record<string, RequestListener> = {
    'a 500': json({}, 500),
    'a 204': (_, response) => response.writeHead(204).end(),
    'a redirect': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    HTML: (_, response) => response.writeHead(200).end('<html></html>'),
    nothing: (_, response) => response.writeHead(200).end(),
    null: json(null),
    'a list': json([]),
    'another type': json({ type: 'link', text: 'x' }),
    'no content': json({ type: 'file' }),
    'a number as content': json({ type: 'file', content: 7 }),
    'NUL in the content': json({ type: 'file', content: 'a\0b' }),
    'a folder without files': json({ type: 'folder', listing: [] }),
    'bytes that are no UTF-8': (_, response) =>
      response.end(Buffer.from('{"type":"file","content":"\xff"}', 'latin1')),
    'a cut connection': (_, response) =>
      response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
    'a closed one': (request) => request.socket.destroy(),
  };

  test.each(
    Object.entries(wrong),
  )('an invalid response counts as a failure of the context service: %s', async (_, listener) => {
    const source = await serve(listener, { timeoutMs: 1_000 });
    await expect(source.read('a.ts', signal)).rejects.toBeInstanceOf(ContextServiceFailed);
    await expect(source.readPinned('rules', signal)).rejects.toBeInstanceOf(ContextServiceFailed);
  });

  test('a redirect of the context service is not followed', async () => {
    let followed = false;
    const source = await serve((request, response) => {
      if (request.url === '/elsewhere') followed = true;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await expect(source.read('a.ts', signal)).rejects.toBeInstanceOf(ContextServiceFailed);
    expect(followed).toBe(false);
  });

  test('an endless response of the context service is aborted at the size limit', async () => {
    let closed: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const source = await serve(
      (_, response) => {
        response.on('close', closed);
        const pour = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', pour);
        pour();
      },
      { maxBytes: 1_000_000 },
    );
    await expect(source.read('a.ts', signal)).rejects.toBeInstanceOf(ContextServiceFailed);
    await left;
  });

  test.each<[string, RequestListener]>([
    ['before the headers', () => undefined],
    ['in the body', (_, response) => void response.writeHead(200).write('{')],
  ])('a context service that hangs %s is abandoned at the time limit, also after a garbage collection', async (_, listener) => {
    const hang: RequestListener = (request, response) => {
      listener(request, response);
      collectGarbage();
      setImmediate(collectGarbage);
    };
    const source = await serve(hang, { timeoutMs: 250 });
    await expect(source.read('a.ts', signal)).rejects.toBeInstanceOf(ContextServiceFailed);
  });

  test('a request to the context service rejects with the reason of the abort signal', async () => {
    const controller = new AbortController();
    const reason = new Error('left');
    const source = await serve(() => controller.abort(reason));
    await expect(source.read('a.ts', controller.signal)).rejects.toBe(reason);
  });
});

describe('the server in examples/context-service', () => {
  const folder = temporaryFolder();
  writeFiles(folder, {
    'project/src/a.ts': 'a\n',
    'project/src/logo.png': new Uint8Array([0, 1]),
    'project/.env': 'secret',
    'project/.stepwise/pinned/rules.md': 'Be brief.',
    'outside.txt': 'secret',
  });
  symlinkSync('../outside.txt', join(folder, 'project/link.txt'));
  let server: ChildProcess;
  let url: string;
  let source: ReturnType<typeof contextServiceSource>;

  beforeAll(async () => {
    const env = { PORT: '0', PROJECTS: JSON.stringify({ [projectId]: join(folder, 'project') }) };
    server = spawn(process.execPath, ['examples/context-service/server.js'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(server.stdout ?? server, 'data');
    url = String(line).trim().split(' ').at(-1) ?? '';
    source = contextServiceSource({ url, projectId });
  });
  afterAll(() => void server.kill());

  test('the example context service serves a file, a folder and a pinned item', async () => {
    const file = { type: 'file', path: 'src/a.ts', content: 'a\n' };
    expect(await source.read('src/a.ts', signal)).toEqual(file);
    expect(await source.read('src', signal)).toEqual({
      type: 'folder',
      path: 'src',
      listing: ['src/a.ts', 'src/logo.png'],
      files: [file],
    });
    expect(await source.readPinned('rules', signal)).toEqual({ id: 'rules', content: 'Be brief.' });
  });

  test('the example context service serves nothing that is missing, secret or outside the project', async () => {
    for (const path of ['nope.ts', 'link.txt']) expect(await source.read(path, signal)).toBeUndefined();
    expect(await source.readPinned('nope', signal)).toBeUndefined();
    expect(JSON.stringify(await source.read('.', signal))).not.toContain('secret');
    for (const path of ['../outside.txt', '/etc/passwd', 'src/../../outside.txt', '.env']) {
      const { status } = await fetch(`${url}/projects/${projectId}/files?path=${encodeURIComponent(path)}`);
      expect(status).toBe(404);
    }
  });
});
