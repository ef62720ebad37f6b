import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Publishes both packages under a scope of the operator, and if they are named, the image and the site:
 * `npm run release -- --scope @acme --image ghcr.io/acme/stepwise --site ./public`. Without `--publish` it only packs and builds.
 */
const { values } = parseArgs({
  options: {
    scope: { type: 'string' },
    image: { type: 'string' },
    site: { type: 'string' },
    publish: { type: 'boolean', default: false },
  },
});

const scope = values.scope ?? process.env['NPM_SCOPE'] ?? '';
if (!/^@[a-z\d][a-z\d._-]*$/.test(scope))
  throw new Error('Name your scope: npm run release -- --scope @acme, or NPM_SCOPE=@acme.');

const run = (command: string, ...words: string[]): void => {
  execFileSync(command, words, { stdio: 'inherit' });
};

const { version, files }: { version: string; files: string[] } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const work = mkdtempSync(join(tmpdir(), 'stepwise-release-'));

/** Copies a package under its name in the scope. In its README the names of both packages become those of the scope. */
function copyUnderScope(from: string, name: string, entries: readonly string[]): string {
  const folder = join(work, name);
  mkdirSync(folder);
  for (const entry of entries) cpSync(join(from, entry), join(folder, entry), { recursive: true });
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const named = { ...manifest, name: `${scope}/${name}` };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(named, null, 2)}\n`);
  const readme = readFileSync(join(from, 'README.md'), 'utf8')
    .replaceAll('@stepwise/client', `${scope}/stepwise-client`)
    .replaceAll(/(from ')stepwise(?=['/])/g, `$1${scope}/stepwise`);
  writeFileSync(join(folder, 'README.md'), readme);
  return folder;
}

run('npm', 'run', '-s', 'build');
run(process.execPath, '.build/scripts/package-sdk.js');
const packages = [
  copyUnderScope('dist-sdk', 'stepwise-client', ['lib', 'LICENSE']),
  copyUnderScope('.', 'stepwise', [...files.filter((each) => !each.startsWith('!')), 'LICENSE']),
];
for (const folder of packages) {
  if (values.publish) run('npm', 'publish', folder);
  else run('npm', 'pack', folder, '--pack-destination', resolve('.build'));
}
if (values.image) {
  run('docker', 'build', '-t', `${values.image}:${version}`, '.');
  if (values.publish) run('docker', 'push', `${values.image}:${version}`);
}
if (values.site) run('npm', 'run', '-s', 'site', '--', '--target', resolve(values.site));
