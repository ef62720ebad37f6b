/** Address of the built `search-worker.ts` with the hash in its name; the build inserts it. */
declare const SEARCH_WORKER: string;

interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

/** Allows one script address only; the page's Content-Security-Policy permits no other Trusted Types policy. */
const policy = trustedTypesOf(globalThis)?.createPolicy('search-worker', {
  createScriptURL: () => SEARCH_WORKER,
});

export const startSearchWorker = (): Worker =>
  new Worker(policy?.createScriptURL(SEARCH_WORKER) ?? SEARCH_WORKER, { type: 'module' });

/** Returns the Trusted Types API, which some browsers and TypeScript's types lack. */
function trustedTypesOf(
  scope: typeof globalThis & { readonly trustedTypes?: TrustedTypes },
): TrustedTypes | undefined {
  return scope.trustedTypes;
}
