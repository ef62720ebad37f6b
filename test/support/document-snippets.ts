import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const inNode = promisify(execFile);
const compiler = resolve('node_modules/typescript/bin/tsc');
const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));

/** Returns the fenced code blocks of one language, in order. */
export function blocks(markdown: string, language: string): string[] {
  const fenced = markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...fenced].filter(([, name]) => name === language).map(([, , body = '']) => body);
}

/**
 * Returns a TypeScript configuration with the strictest compiler options, which maps the package's entries to their
 * sources.
 */
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
      // The package of the client alone, `@stepwise/client`, has the same modules as the main entry.
      paths: { ...Object.fromEntries(paths), '@stepwise/client': [resolve('src/sdk/index.ts')] },
    },
    files,
    // The sources also need their global declarations.
    include: [resolve('src/**/*.d.ts')],
  };
}

/** Compiler options that emit a snippet without checking its types or resolving its imports. */
export const emitOptions = (outDir: string): readonly string[] => [
  ...['--ignoreConfig', '--noCheck', '--noResolve', '--target', 'es2023', '--module', 'esnext'],
  ...['--types', 'node', '--outDir', outDir],
];

/** Makes a compiled snippet import the compiled sources instead of the package. */
export const withCompiledEntries = (script: string): string =>
  script
    .replaceAll("'@stepwise/client'", "'stepwise'")
    .replaceAll(/'(stepwise[\w/]*)'/g, (_, entry: string) => `'${compiledEntry(entry)}'`);

function compiledEntry(entry: string): string {
  const { default: path } = packageJson.exports[entry.replace('stepwise', '.')];
  return pathToFileURL(resolve('.build/src', path.replace('./dist/', ''))).href;
}

/** Texts of a page, each with the text that replaces it in a test, such as the address of the service. */
type Replacements = Readonly<Record<string, string>>;

/**
 * Copies each code block of a page that names its file in the first line into a new folder below `.build`. Returns
 * a function from the name of a file to its path.
 */
export function copyFiles(
  markdown: string,
  folder: string,
  replacements: Replacements,
): (name: string) => string {
  const built = resolve('.build', folder);
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built, { recursive: true });
  const files = ['js', 'ts', 'python'].flatMap((language) =>
    blocks(markdown, language).map(
      (block) => [/^(?:\/\/|#) ([\w-]+\.\w+)$/m.exec(block)?.[1] ?? '', block] as const,
    ),
  );
  for (const [name, block] of files.filter(([name]) => name !== ''))
    writeFileSync(join(built, name), replaceAll(block, replacements));
  return (name) => {
    if (!files.some(([copied]) => copied === name)) throw new Error(`The page has no ${name}.`);
    return join(built, name);
  };
}

/**
 * Type-checks a file with the strictest options. Returns the path of the compiled module, which imports the
 * compiled sources. Throws the compiler's messages.
 */
export async function compileSnippet(file: string, replacements: Replacements = {}): Promise<string> {
  const config = file.replace(/ts$/, 'json');
  writeFileSync(config, JSON.stringify(strictly([file])));
  const { stdout } = await inNode(process.execPath, [compiler, '-p', config]).catch((failed) => failed);
  if (stdout !== '') throw new Error(stdout);
  // The compiler reports imports that it cannot resolve, but emits the module anyway.
  await inNode(process.execPath, [compiler, ...emitOptions(join(file, '..')), file]).catch(() => undefined);
  const script = withCompiledEntries(readFileSync(file.replace(/ts$/, 'js'), 'utf8'));
  const module = join(file, '..', `${basename(file, '.ts')}.mjs`);
  writeFileSync(module, replaceAll(script, replacements));
  return module;
}

const replaceAll = (text: string, replacements: Replacements): string =>
  Object.entries(replacements).reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
