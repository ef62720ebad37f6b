import { fileURLToPath } from 'node:url';

/** Returns the folder into which the build puts a page; undefined in a bundle of CommonJS, whose modules have no URL. */
export function builtPage(name: 'contract' | 'playground'): string | undefined {
  const from: string | undefined = import.meta.url;
  return from && fileURLToPath(new URL(`../../../../${name}/page/`, from));
}
