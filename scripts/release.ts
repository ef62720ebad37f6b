/**
 * Publishes both npm packages under the operator's scope, and the container image and the site if the arguments name
 * them: `npm run release -- --scope @acme --repository URL --image ghcr.io/acme/stepwise --site ./public`.
 * Without `--publish` it only packs and builds. Everything is packed and built before anything is published, and
 * versions that are already in the registry are skipped, so a release that failed half-way can be run again.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    scope: { type: 'string' },
    repository: { type: 'string' },
    image: { type: 'string' },
    site: { type: 'string' },
    publish: { type: 'boolean', default: false },
  },
});

const scope = values.scope ?? process.env['NPM_SCOPE'] ?? '';
if (!/^@[a-z\d][a-z\d._-]*$/.test(scope))
  refuse('Name your scope: npm run release -- --scope @acme, or NPM_SCOPE=@acme.');

function refuse(message: string): never {
  console.error(message);
  process.exit(1);
}

const run = (command: string, ...words: string[]): void => {
  execFileSync(command, words, { stdio: 'inherit' });
};
const succeeds = (command: string, ...words: string[]): boolean => spawnSync(command, words).status === 0;

const { version, files }: { version: string; files: string[] } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const work = mkdtempSync(join(tmpdir(), 'stepwise-release-'));
const tarballs = resolve('.build');
const engine = ['docker', 'podman'].find((each) => succeeds(each, 'info'));
if (values.image && values.publish && !engine)
  refuse(
    'Nothing was published: neither docker nor podman answers here, so the image cannot be built. Start one, or leave out --image.',
  );

interface Packed {
  readonly name: string;
  readonly tarball: string;
}

interface Source {
  /** Folder with the package's manifest and entries. */
  readonly from: string;
  readonly entries: readonly string[];
  readonly readme: string;
}

/** Packs a package under its scoped name. Its README gets the scoped names of both packages, too. */
function packUnderScope(name: string, { from, entries, readme }: Source): Packed {
  const folder = join(work, name);
  mkdirSync(folder);
  for (const entry of entries) cpSync(join(from, entry), join(folder, entry), { recursive: true });
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  const repository = values.repository && { type: 'git', url: values.repository };
  const named = { ...manifest, name: `${scope}/${name}`, ...(repository && { repository }) };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(named, null, 2)}\n`);
  const text = readFileSync(readme, 'utf8')
    .replaceAll('@stepwise/client', `${scope}/stepwise-client`)
    .replaceAll(/(^# |from '|npm install |`)stepwise(?=['/`\s])/gm, `$1${scope}/stepwise`);
  writeFileSync(join(folder, 'README.md'), text);
  run('npm', 'pack', folder, '--loglevel=error', '--pack-destination', tarballs);
  return { name: named.name, tarball: join(tarballs, `${scope.slice(1)}-${name}-${version}.tgz`) };
}

/** Publishes a package to the registry of npm's settings, unless that registry has this version. */
function publish({ name, tarball }: Packed): string {
  if (succeeds('npm', 'view', `${name}@${version}`, 'version')) return 'left alone: the registry has it';
  run('npm', 'publish', tarball);
  return 'published';
}

try {
  run('npm', 'run', '-s', 'prepack');
  run(process.execPath, fileURLToPath(new URL('./package-sdk.js', import.meta.url)));
  mkdirSync(tarballs, { recursive: true });
  const packages = [
    packUnderScope('stepwise-client', {
      from: 'dist-sdk',
      entries: ['lib', 'LICENSE'],
      readme: 'src/sdk/README.md',
    }),
    packUnderScope('stepwise', {
      from: '.',
      entries: [...files.filter((each) => !each.startsWith('!') && each !== 'README.md'), 'LICENSE'],
      readme: 'src/README.md',
    }),
  ];
  const image = values.image && `${values.image}:${version}`;
  if (image && engine) run(engine, 'build', '-t', image, '.');
  if (values.site) run('npm', 'run', '-s', 'site', '--', '--target', resolve(values.site));

  for (const each of packages)
    console.log(`${each.name} ${version}: ${values.publish ? publish(each) : `packed, ${each.tarball}`}`);
  if (image && engine && values.publish) run(engine, 'push', image);
  if (image && engine) console.log(`${image}: ${values.publish ? 'pushed' : 'built'}`);
  if (image && !engine) console.log(`${image}: SKIPPED, since neither docker nor podman answers here`);
  if (values.site) console.log(`site: written to ${resolve(values.site)}; publish this folder as it is`);
  if (!values.publish) console.log('Nothing was published. --publish does it.');
} finally {
  rmSync(work, { recursive: true, force: true });
}
