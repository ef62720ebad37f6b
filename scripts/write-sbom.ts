import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Writes `sbom.cdx.json`: what a production install consists of, in CycloneDX, with the hash and the licence of each package.
 * Fails where a package has none, or a licence that nobody has looked at. The same packages give the same file, but for the
 * time, which is `SOURCE_DATE_EPOCH` if that is set.
 */

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly unknown[];
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string };
    readonly expression?: string;
  }[];
}
interface Bill {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Those that ask for no more than that their text is passed on. */
const accepted = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense']);
const target = 'sbom.cdx.json';

/** Named and versioned, as the bill refers to them. `npm sbom --omit dev` drops what a development dependency needs as well. */
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: boolean }>>;
};
const installed = new Set(
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
);

const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
const printed = execFileSync('npm', words, {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const all: Bill = JSON.parse(printed);
const bill: Bill = {
  ...all,
  components: all.components.filter(({ name, version }) => installed.has(`${name}@${version}`)),
  dependencies: all.dependencies
    .filter(({ ref }) => installed.has(ref) || ref.startsWith('stepwise@'))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => installed.has(each)) })),
};
if (bill.components.length !== installed.size) {
  console.error(`${bill.components.length} of ${installed.size} packages of the lock file are in the bill`);
  process.exit(1);
}

const licenceOf = ({ licenses = [] }: Component): string =>
  licenses.map(({ license, expression }) => license?.id ?? expression ?? 'unnamed').join(' and ') || 'none';

const wrong = bill.components.filter(
  (component) => !component.hashes?.length || !accepted.has(licenceOf(component)),
);
for (const component of wrong) {
  console.error(
    `${component.name}@${component.version}: licence ${licenceOf(component)}, hash missing or licence not accepted`,
  );
}
if (wrong.length > 0) process.exit(1);

const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? Date.now() / 1_000);
const digest = createHash('sha256').update(JSON.stringify(bill.components)).digest('hex');
const serial = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-5$3-8$4-$5');
const named = {
  ...bill,
  serialNumber: `urn:uuid:${serial}`,
  metadata: {
    ...bill.metadata,
    timestamp: new Date(Math.floor(seconds) * 1_000).toISOString(),
    // npm calls it by the name of the folder.
    component: { ...bill.metadata.component, name: 'stepwise' },
  },
};
writeFileSync(target, `${JSON.stringify(named, null, 2)}\n`);

const counts = new Map<string, number>();
for (const component of bill.components) {
  counts.set(licenceOf(component), (counts.get(licenceOf(component)) ?? 0) + 1);
}
const summary = [...counts].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${count} ${licence}`);
console.log(`${target}: ${bill.components.length} packages (${summary.join(', ')})`);
