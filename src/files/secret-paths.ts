/** Folders that are never used as context: version control internals, credential stores, shell histories. */
const secretFolders = new Set([
  '.git',
  '.ssh',
  '.gnupg',
  '.aws',
  '.gcloud',
  '.azure',
  '.kube',
  '.bash_sessions',
  '.zsh_sessions',
]);

const ENV = '.env*';

/**
 * Files that contain keys, tokens or passwords by convention (rule: secret-files). Histories of shells and
 * consoles contain whatever a person has typed, including passwords. `*` matches any text.
 */
const secretFiles = [
  ENV,
  '*.env',
  '*.env.*',
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
  'terraform.tfstate*',
  '*.tfstate',
  '*.tfstate.*',
  '.terraformrc',
  'terraform.rc',
  '*.tfrc.json',
  'service-account*.json',
  'service_account*.json',
  'serviceaccount*.json',
  '*-service-account.json',
  '*-firebase-adminsdk-*.json',
  'application_default_credentials.json',
  '.bash_history*',
  '.zsh_history*',
  '.*_history*',
  '.history',
  '.zhistory',
  '.histfile',
  '.rhistory',
  '.dbshell',
  'fish_history',
  '*host_history.txt',
];

/** Files that are secret only in a folder of the given name; elsewhere, the same file name is ordinary. */
const secretInFolder = [
  ['.docker', 'config.json'],
  ['.config', 'gcloud'],
  ['.config', 'gh'],
  ['.cargo', 'credentials'],
  ['.cargo', 'credentials.toml'],
  ['.gem', 'credentials'],
  ['nushell', 'history.txt'],
  ['nushell', 'history.sqlite3'],
  ['.ipython', 'profile_default', 'history.sqlite'],
];

/**
 * Matches endings that make `.env` the name of another program's file, such as `.envoy` or `.environment.d`. Any
 * other ending remains secret, because a name such as `.envprod` may be an environment file.
 */
const NOT_ENV = 'oy(?![a-z])|ironment\\.d$';

const patternOf = (name: string): string =>
  name === ENV ? `\\.env(?!${NOT_ENV}).*` : name.replaceAll('.', '\\.').replaceAll('*', '.*');

const secretFile = new RegExp(`^(?:${secretFiles.map(patternOf).join('|')})$`, 's');

/**
 * Returns whether a project path must be refused, whatever the file contains. Considers all names under which a
 * system may open the file: ignores case (on some systems `.ENV` is `.env`), and text in names that Windows
 * ignores or rewrites.
 */
export function isSecretPath(path: string): boolean {
  const parts = partsOf(path);
  return parts.some(isSecretName) || leadsThroughSecret(parts);
}

/**
 * Returns whether an absolute path must be refused as a file or as a project folder: it has a secret name, or is in a
 * secret folder. A parent folder may have a name that is secret only for files, such as `.env`.
 */
export function isSecretPlace(path: string): boolean {
  const parts = partsOf(path).filter((part) => part !== '');
  return parts.slice(-1).some(isSecretName) || parts.some(isSecretFolder) || leadsThroughSecret(parts);
}

/**
 * Splits a path into its parts in lower case. Converts to upper case first, because some file systems treat `ſ` as
 * `s`.
 */
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
 * Returns a name, and the name that Windows would open instead: without trailing dots and spaces, and without the
 * name of a stream (`server.key::$data`).
 */
function namesOf(part: string): readonly string[] {
  const [name = ''] = part.split(':', 1);
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  return end === part.length ? [part] : [part, name.slice(0, end)];
}

interface Stem {
  readonly stem: string;
  /** True if more text may follow the stem in the file's name. */
  readonly isOpen: boolean;
}

/**
 * Returns the part of a file name from which Windows builds its short name: `.git-credentials` becomes
 * `GIT-CR~1`, or from the fifth file on `GI` and four digits.
 */
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
