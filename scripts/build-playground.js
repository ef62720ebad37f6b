import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * Bundles the playground into the folder given as argument (default: `dist/playground`). The result is
 * `index.html`, scripts and a style sheet with a hash in their names, the example project and the recorded runs, each also in
 * compressed form. Beside that folder is `report.html`, the page of evaluations. This script is JavaScript, because the Docker build runs it without compiling scripts.
 */
const target = process.argv[2] ?? 'dist/playground';
const page = join(target, 'page');
const source = 'src/playground';

async function bundle(entryPoints, { define = {}, splitting = true } = {}) {
  const { outputFiles, metafile } = await build({
    entryPoints,
    outdir: page,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting,
    format: 'esm',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'eof',
    define,
    write: false,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs).flatMap((path) => packageOf(path) ?? []);
  for (const name of inputs) packages.add(name);
  return outputFiles.map(({ path, contents }) => ({ name: path.split(/[\\/]/).at(-1), contents }));
}

const packages = new Set();

const packageOf = (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];

/** Returns the licence texts of all bundled packages, which must be distributed with the bundle. */
function licences() {
  const texts = [...packages].sort().map((name) => {
    const folder = join('node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    // Some packages name their licence but do not contain its text.
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
    return `${name} ${version}\n\n${text}\n`;
  });
  return Buffer.from(texts.join(`\n${'-'.repeat(72)}\n\n`));
}

/** Returns the recorded runs of the tour as a JSON list: the run, then its follow-up. */
const tour = () =>
  Buffer.from(
    JSON.stringify(
      ['change', 'follow-up'].map((name) => JSON.parse(readFileSync(`examples/tour/${name}.json`, 'utf8'))),
    ),
  );

/** Returns the files of the example project as JSON, sorted by path so that equal files give equal output. */
function exampleProject(folder = 'examples/shop') {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => ({
      path: path
        .slice(folder.length + 1)
        .split('\\')
        .join('/'),
      content: readFileSync(path, 'utf8'),
    }));
  return Buffer.from(JSON.stringify({ name: 'shop', files }));
}

function write(name, contents) {
  const path = join(page, name);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  writeFileSync(path, contents);
  writeFileSync(`${path}.gz`, gzipSync(contents, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(contents, quality));
}

/**
 * Writes the page of an evaluation's report. It is one file without links, so that it can be sent to a colleague; its policy allows only
 * its own script. The command `stepwise eval` puts the report in.
 */
async function writeReportPage() {
  const [script, style] = await Promise.all(
    ['main.tsx', 'report.css'].map(async (name) => {
      const [{ contents }] = await bundle({ report: `${source}/report/${name}` }, { splitting: false });
      return Buffer.from(contents).toString();
    }),
  );
  const digest = createHash('sha256').update(script).digest('base64');
  const texts = {
    policy: `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${digest}'`,
    style: `<style>${style}</style>`,
    licences: `<script type="text/plain" id="licences">${licences().toString().replaceAll('<', '&lt;')}</script>`,
    app: `<script type="module">${script}</script>`,
  };
  const template = readFileSync(`${source}/report/report.html`, 'utf8');
  const html = template.replace(/\{\{(policy)\}\}|<!--(\w+)-->/g, (_, one, other) => texts[one ?? other]);
  writeFileSync(join(target, 'report.html'), html);
}

const hash = (contents) => createHash('sha256').update(contents).digest('hex').slice(0, 8);

rmSync(page, { recursive: true, force: true });
mkdirSync(page, { recursive: true });
// Code splitting is off for the worker, because it would write a chunk that nothing loads.
const worker = await bundle({ 'search-worker': `${source}/search-worker.ts` }, { splitting: false });
const app = await bundle(
  { app: `${source}/main.tsx`, style: `${source}/style/style.css` },
  { define: { SEARCH_WORKER: JSON.stringify(`/playground/${worker[0].name}`) } },
);
const files = [...worker, ...app];
const icon = readFileSync(`${source}/icon.svg`);
files.push({ name: `icon-${hash(icon)}.svg`, contents: icon });
const fileNameOf = (start) => files.find(({ name }) => name.startsWith(start)).name;
const html = readFileSync(`${source}/index.html`, 'utf8')
  .replace('{{style}}', fileNameOf('style-'))
  .replace('{{app}}', fileNameOf('app-'))
  .replace('{{icon}}', fileNameOf('icon-'));
for (const { name, contents } of files) write(name, contents);
write('index.html', Buffer.from(html));
write('example.json', exampleProject());
write('tour.json', tour());
write('licences.txt', licences());
await writeReportPage();
