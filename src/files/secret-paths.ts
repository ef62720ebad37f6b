/** Folders whose contents are never context: version control internals and credential stores. */
const secretFolders = new Set(['.git', '.ssh', '.gnupg', '.aws', '.gcloud', '.kube']);

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

const secretFile = new RegExp(
  `^(?:${secretFiles.map((name) => name.replaceAll('.', '\\.').replaceAll('*', '.*')).join('|')})$`,
  's',
);

/** Whether a project path is refused whatever it holds. Case does not matter: on some systems `.ENV` is `.env`. */
export function isSecretPath(path: string): boolean {
  return path
    .toLowerCase()
    .split('/')
    .some((part) => secretFolders.has(part) || secretFile.test(part));
}
