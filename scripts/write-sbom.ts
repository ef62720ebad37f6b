/**
 * Writes `sbom.cdx.json`: the packages of a production installation in CycloneDX format, with their hashes and
 * licences. Fails if a package has no hash or no accepted licence. The same packages give the same file, except
 * for the time, which is `SOURCE_DATE_EPOCH` if that is set.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

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

/** Licences that require only that their text is passed on. */
const acceptedLicences = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
]);
const target = 'sbom.cdx.json';

/**
 * Names of production packages as `name@version`, which is how the bill refers to them. They are read from the
 * lock file, because `npm sbom --omit dev` also omits production packages that a development dependency needs too.
 */
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
  console.error(
    `The bill has ${bill.components.length} of the ${installed.size} production packages in package-lock.json.`,
  );
  process.exit(1);
}

const licenceOf = ({ licenses = [] }: Component): string =>
  licenses.map(({ license, expression }) => license?.id ?? expression ?? 'unnamed').join(' and ') || 'none';

const rejected = bill.components.filter(
  (component) => !component.hashes?.length || !acceptedLicences.has(licenceOf(component)),
);
for (const component of rejected) {
  console.error(
    `${component.name}@${component.version}: the hash is missing, or the licence (${licenceOf(component)}) is not in the accepted list of write-sbom.ts.`,
  );
}
if (rejected.length > 0) process.exit(1);

const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? Date.now() / 1_000);
const digest = createHash('sha256').update(JSON.stringify(bill.components)).digest('hex');
const serial = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-5$3-8$4-$5');
const named = {
  ...bill,
  serialNumber: `urn:uuid:${serial}`,
  metadata: {
    ...bill.metadata,
    timestamp: new Date(Math.floor(seconds) * 1_000).toISOString(),
    // npm would use the name of the folder as the package's name.
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
