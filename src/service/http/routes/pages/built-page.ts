import { fileURLToPath } from 'node:url';

/** Returns the folder of a built page; undefined in a CommonJS bundle, whose modules have no URL. */
export function builtPage(name: 'contract' | 'playground'): string | undefined {
  const from: string | undefined = import.meta.url;
  return from && fileURLToPath(new URL(`../../../../${name}/page/`, from));
}
