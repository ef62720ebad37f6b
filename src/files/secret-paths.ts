/** Folders whose contents are never context: version control internals and credential stores. */
const secretFolders = new Set(['.git', '.ssh', '.gnupg', '.aws', '.gcloud', '.azure', '.kube']);

const ENV = '.env*';

/** Files that hold keys, tokens or passwords by convention (rule: secret-files). `*` stands for anything. */
const secretFiles = [
  ENV,
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
const secretInFolder = [
  ['.docker', 'config.json'],
  ['.config', 'gcloud'],
  ['.config', 'gh'],
  ['.cargo', 'credentials'],
  ['.cargo', 'credentials.toml'],
  ['.gem', 'credentials'],
];

/** What goes on after `.env` to something else: of Envoy and of systemd. Closed: `.envprod` may be anybody's own name for theirs. */
const NOT_ENV = 'oy(?![a-z])|ironment\\.d$';

const patternOf = (name: string): string =>
  name === ENV ? `\\.env(?!${NOT_ENV}).*` : name.replaceAll('.', '\\.').replaceAll('*', '.*');

const secretFile = new RegExp(`^(?:${secretFiles.map(patternOf).join('|')})$`, 's');

/**
 * Whether a project path is refused whatever it holds, under each name that a system may know it by: case does not matter (on
 * some systems `.ENV` is `.env`), nor does what Windows leaves out of a name or makes of it.
 */
export function isSecretPath(path: string): boolean {
  const parts = partsOf(path);
  return parts.some(isSecretName) || leadsThroughSecret(parts);
}

/**
 * Whether a file is refused, or a folder may not be a project, by its absolute path: what has a secret name, and all in a folder
 * of secrets. That a folder above it has a name such as files of secrets have says nothing of it.
 */
export function isSecretPlace(path: string): boolean {
  const parts = partsOf(path).filter((part) => part !== '');
  return parts.slice(-1).some(isSecretName) || parts.some(isSecretFolder) || leadsThroughSecret(parts);
}

/** Upper case first: `ſ` is `s` to some file systems. */
const partsOf = (path: string): readonly string[] => path.toUpperCase().toLowerCase().split('/');

const isSecretName = (part: string): boolean => isSecretFolder(part) || isSecretFile(part);

const isSecretFolder = (part: string): boolean =>
  namesOf(part).some((name) => secretFolders.has(name) || isShortForOneOf(folderStems, name));

const isSecretFile = (part: string): boolean =>
  namesOf(part).some((name) => secretFile.test(name) || isShortForOneOf(fileStems, name));

const leadsThroughSecret = (parts: readonly string[]): boolean =>
  secretInFolder.some((place) => leadsThrough(parts, place));

const leadsThrough = (parts: readonly string[], place: readonly string[]): boolean =>
  parts.some((_, start) =>
    place.every((name, index) => {
      const part = parts[start + index];
      return part !== undefined && namesOf(part).some((each) => isNamed(each, name));
    }),
  );

const isNamed = (part: string, name: string): boolean => part === name || isShortFor(part, stemOf(name));

/**
 * The name itself, and that of the file which Windows opens: without dots and spaces at the end, and without the name of a
 * stream (`server.key::$data`).
 */
function namesOf(part: string): readonly string[] {
  const [name = ''] = part.split(':', 1);
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  return end === part.length ? [part] : [part, name.slice(0, end)];
}

interface Stem {
  readonly stem: string;
  /** Whether a name may go on after it. */
  readonly isOpen: boolean;
}

/** What Windows makes the short name of a file of: `.git-credentials` is `GIT-CR~1`, or from the fifth on `GI` and four digits. */
const stemOf = (name: string): string => /^\.?([^.*]*)/.exec(name)?.[1]?.slice(0, 6) ?? '';

const stemsOf = (names: Iterable<string>): readonly Stem[] =>
  [...names]
    .map((name) => ({ stem: stemOf(name), isOpen: name.endsWith('*') }))
    .filter(({ stem }) => stem !== '');

const folderStems = stemsOf(secretFolders);
const fileStems = stemsOf(secretFiles);

const shortName = /^([^.~]{1,6})~\d+(?:\.|$)/;

const isShortForOneOf = (stems: readonly Stem[], part: string): boolean =>
  part.includes('~') && stems.some(({ stem, isOpen }) => isShortFor(part, stem, isOpen));

function isShortFor(part: string, stem: string, isOpen = false): boolean {
  const base = shortName.exec(part)?.[1];
  if (base === undefined) return false;
  if (base === stem || (isOpen && base.startsWith(stem) && secretFile.test(`.${base}`))) return true;
  return base.startsWith(stem.slice(0, 2)) && /^..[\da-f]{4}$/.test(base);
}
