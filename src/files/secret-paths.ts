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
  '.docker/config.json',
  '.config/gcloud',
  '.config/gh',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
];

const secretFile = new RegExp(
  `^(?:${secretFiles.map((name) => name.replaceAll('.', '\\.').replaceAll('*', '.*')).join('|')})$`,
  's',
);

/** Whether a project path is refused whatever it holds. Case does not matter: on some systems `.ENV` is `.env`. */
export function isSecretPath(path: string): boolean {
  const name = path.toLowerCase();
  return (
    name.split('/').some((part) => secretFolders.has(part) || secretFile.test(part)) ||
    secretPlaces.some((place) => `/${name}/`.includes(`/${place}/`))
  );
}
