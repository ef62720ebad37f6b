import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));

/** The fenced blocks of one language, in their order. */
export function blocks(markdown: string, language: string): string[] {
  const fenced = markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...fenced].filter(([, name]) => name === language).map(([, , body = '']) => body);
}

/** The options of a careful reader; the package's entries stand for what they are built from. */
export function strictly(files: readonly string[]) {
  const entries = Object.entries<{ types?: string }>(packageJson.exports).filter(([, { types }]) => types);
  const paths = entries.map(([entry, { types = '' }]) => [
    join('stepwise', entry),
    [resolve(types.replace('./dist/', './src/').replace('.d.ts', '.ts'))],
  ]);
  return {
    extends: resolve('tsconfig.json'),
    compilerOptions: {
      noUnusedLocals: false,
      noUnusedParameters: false,
      rootDir: process.cwd(),
      paths: Object.fromEntries(paths),
    },
    files,
  };
}

/** Emits a snippet without looking at types or at what it imports. */
export const emitOptions = (outDir: string): readonly string[] => [
  ...['--ignoreConfig', '--noCheck', '--noResolve', '--target', 'es2023', '--module', 'esnext'],
  ...['--types', 'node', '--outDir', outDir],
];

/** A compiled snippet that imports the compiled sources in place of the package. */
export const withCompiledEntries = (script: string): string =>
  script.replaceAll(/'(stepwise[\w/]*)'/g, (_, entry: string) => `'${compiledEntry(entry)}'`);

function compiledEntry(entry: string): string {
  const { default: path } = packageJson.exports[entry.replace('stepwise', '.')];
  return pathToFileURL(resolve('.build/src', path.replace('./dist/', ''))).href;
}
