const forbiddenNames: readonly RegExp[] = [
  /^\.env(\..*)?$/i,
  /^\.git$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)$/i,
  /\.(pem|key|p12|pfx|jks|keystore|kdbx)$/i,
  /^\.(npmrc|netrc|pypirc|htpasswd|pgpass)$/i,
  /^\.(ssh|aws|gnupg)$/i,
];

/** True for what tools neither show nor touch: secrets, keys and git's own folder, at any depth (SPEC §5). */
export function isForbidden(relativePath: string): boolean {
  return relativePath.split(/[\\/]/).some((part) => forbiddenNames.some((name) => name.test(part)));
}
