/** Folders whose contents are never context: version control internals and credential stores. */
const secretFolders = new Set(['.git', '.ssh', '.gnupg', '.aws', '.gcloud', '.azure', '.kube']);

/** Files that hold keys, tokens or passwords by convention (rule: secret-files). `*` stands for anything. */
const secretFiles = [
  '.env*',
  '*.env',
  '*.pem',
  '*.key',
  '*.p8',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.ppk',
  '*.kdb',
  '*.kdbx',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.npmrc',
  '.pypirc',
  '.netrc',
  '_netrc',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.git-credentials',
  '.dockercfg',
  '.dockerconfigjson',
  '.vault-token',
];

/** What is a secret in its own folder only: elsewhere the same name is a file like any other. */
const secretPlaces = [
  ['.docker', 'config.json'],
  ['.config', 'gcloud'],
  ['.config', 'gh'],
  ['.cargo', 'credentials'],
  ['.cargo', 'credentials.toml'],
  ['.gem', 'credentials'],
];

const secretFile = new RegExp(
  `^(?:${secretFiles.map((name) => name.replaceAll('.', '\\.').replaceAll('*', '.*')).join('|')})$`,
  's',
);

/**
 * Whether a project path is refused whatever it holds, under each name that a system may know it by: case does not matter (on
 * some systems `.ENV` is `.env`), nor does what Windows leaves out of a name or makes of it.
 */
export function isSecretPath(path: string): boolean {
  const parts = path.toUpperCase().toLowerCase().split('/'); // upper case first: `ſ` is `s` to some file systems
  return parts.some(isSecretName) || secretPlaces.some((place) => leadsThrough(parts, place));
}

function isSecretName(part: string): boolean {
  return [part, ...windowsNames(part)].some(
    (name) => secretFolders.has(name) || secretFile.test(name) || isShortForSecret(name),
  );
}

const leadsThrough = (parts: readonly string[], place: readonly string[]): boolean =>
  parts.some((_, start) =>
    place.every((name, index) => {
      const part = parts[start + index];
      return part !== undefined && [part, ...windowsNames(part)].some((each) => isNamed(each, name));
    }),
  );

const isNamed = (part: string, name: string): boolean => part === name || isShortFor(part, stemOf(name));

/** The file that Windows opens: without dots and spaces at the end, and without the name of a stream (`server.key::$data`). */
function windowsNames(part: string): readonly string[] {
  const [name = ''] = part.split(':', 1);
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  return end === part.length ? [] : [name.slice(0, end)];
}

/** What Windows makes the short name of a file of: `.git-credentials` is `GIT-CR~1`, or from the fifth on `GI` and four digits. */
const stemOf = (name: string): string => /^\.?([^.*]*)/.exec(name)?.[1]?.slice(0, 6) ?? '';

const stems = [...secretFolders, ...secretFiles]
  .map((name) => ({ stem: stemOf(name), isOpen: name.endsWith('*') }))
  .filter(({ stem }) => stem !== '');

const shortName = /^([^.~]{1,6})~\d+(?:\.|$)/;

const isShortForSecret = (part: string): boolean =>
  part.includes('~') && stems.some(({ stem, isOpen }) => isShortFor(part, stem, isOpen));

function isShortFor(part: string, stem: string, isOpen = false): boolean {
  const base = shortName.exec(part)?.[1];
  if (base === undefined) return false;
  if (base === stem || (isOpen && base.startsWith(stem))) return true;
  return base.startsWith(stem.slice(0, 2)) && /^..[\da-f]{4}$/.test(base);
}
