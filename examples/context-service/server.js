// A reference server of the HTTP context service (docs/context-service.md): projects are folders on this machine.
//
//   PROJECTS='{"0190a4c8-5b7e-7cc0-8000-000000000001":"/path/to/project"}' PORT=4000 node server.js
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, relative, sep } from 'node:path';

const MAX_FILE_BYTES = 1_048_576;
const MAX_FOLDER_FILES = 200;
const HIDDEN =
  /^(?:node_modules|\.git|\.ssh|\.aws|\.env.*|\.npmrc|\.netrc|id_rsa.*|.*\.(?:pem|key|p12|pfx))$/i;

const projects = JSON.parse(process.env.PROJECTS ?? '{}');

async function readEntry(folder, path) {
  const found = await locate(folder, path);
  if (found?.stats.isDirectory()) return readFolder(found);
  return found && readText(found);
}

async function readPinned(folder, id) {
  const file = await readEntry(folder, `.stepwise/pinned/${id}.md`);
  return file?.type === 'file' ? { id, content: file.content } : undefined;
}

/** Resolves a path of a project; undefined if it is missing, outside the project, or must not be read. */
async function locate(folder, path) {
  try {
    const root = await realpath(folder);
    const real = await realpath(join(root, path));
    const parts = relative(root, real).split(sep);
    if ([...parts, ...path.split('/')].some((part) => part === '..' || HIDDEN.test(part))) return undefined;
    return { root, real, path, stats: await lstat(real) };
  } catch {
    return undefined; // missing and forbidden look the same
  }
}

/** Reads a text file; undefined for binary files and for everything that is not a file. */
async function readText({ real, path, stats }) {
  if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return undefined;
  const bytes = await readFile(real);
  if (bytes.includes(0)) return undefined;
  return { type: 'file', path, content: bytes.toString('utf8') };
}

async function readFolder({ root, real, path }) {
  const entries = await readdir(real, { recursive: true, withFileTypes: true });
  const all = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !name.split('/').some((part) => HIDDEN.test(part)))
    .sort();
  const listing = all.slice(0, MAX_FOLDER_FILES);
  const files = [];
  for (const name of listing) {
    const file = await readEntry(root, name);
    if (file) files.push(file);
  }
  return { type: 'folder', path, listing, files, cut: listing.length < all.length };
}

/** Returns the response body of a GET request; undefined for 404. */
async function answer(url) {
  const [, project, what, id] =
    /^\/projects\/([^/]+)\/(files|pinned\/([\w-][\w.-]*))$/.exec(url.pathname) ?? [];
  const folder = Object.hasOwn(projects, project ?? '') ? projects[project] : undefined;
  if (folder === undefined) return undefined;
  return what === 'files' ? readEntry(folder, url.searchParams.get('path') ?? '') : readPinned(folder, id);
}

const server = createServer(async (request, response) => {
  const found = request.method === 'GET' ? await answer(new URL(request.url, 'http://localhost')) : undefined;
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(found ?? { error: 'not found' }));
});

server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.log(`context service on http://127.0.0.1:${server.address().port}`);
});
