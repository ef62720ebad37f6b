/** The address of the built `search-worker.ts`, which has a hash in its name; the build writes it here. */
declare const SEARCH_WORKER: string;

interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface TrustedTypes {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

/** The one address from which this page starts a script; its Content-Security-Policy allows no other policy than this. */
const policy = trustedTypesOf(globalThis)?.createPolicy('search-worker', {
  createScriptURL: () => SEARCH_WORKER,
});

export const startSearchWorker = (): Worker =>
  new Worker(policy?.createScriptURL(SEARCH_WORKER) ?? SEARCH_WORKER, { type: 'module' });

/** Not every browser has them, nor do TypeScript's types. */
function trustedTypesOf(
  scope: typeof globalThis & { readonly trustedTypes?: TrustedTypes },
): TrustedTypes | undefined {
  return scope.trustedTypes;
}
