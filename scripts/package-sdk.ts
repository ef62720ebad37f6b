/**
 * Writes `dist-sdk`: the SDK as a package of its own, `@stepwise/client`, without dependencies. It contains the modules
 * that `npm run build` compiled. From src/contract it contains only type declarations, without the Zod schemas.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const target = 'dist-sdk';

/**
 * Returns the paths below `dist` of a module or declaration file, and of everything that it imports, directly or
 * indirectly.
 */
function collectImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const extension = path.endsWith('.d.ts') ? '.d.ts' : '.js';
  for (const [, imported = ''] of textOf(path).matchAll(/from '([^']+)'/g)) {
    if (!imported.startsWith('.')) throw new Error(`${path} must not import the package ${imported}.`);
    collectImports(normalize(join(dirname(path), imported.replace(/\.js$/, extension))), found);
  }
  return found;
}

/**
 * Returns the text of a compiled file. From a contract file with schemas, returns only its type exports, because the
 * SDK uses nothing else of it.
 */
function textOf(path: string): string {
  const text = readFileSync(join('dist', path), 'utf8').replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
  if (!path.startsWith('contract/') || !/^export declare const /m.test(text)) return text;
  return (text.match(/^export type \{[^}]*\} from '[^']*';$/gm) ?? []).map((line) => `${line}\n`).join('');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}

rmSync(target, { recursive: true, force: true });
const paths = [...collectImports('sdk/index.js'), ...collectImports('sdk/index.d.ts')];
for (const path of paths) write(`lib/${path}`, textOf(path));

const { version, license, engines, publishConfig, repository } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);
const manifest = {
  name: '@stepwise/client',
  version,
  description:
    'The client of Stepwise: the loop of a ReAct agent over its HTTP service, for Node and browsers.',
  license,
  type: 'module',
  sideEffects: false,
  exports: {
    '.': { types: './lib/sdk/index.d.ts', default: './lib/sdk/index.js' },
    './package.json': './package.json',
  },
  engines,
  files: ['lib'],
  publishConfig,
  repository,
};
write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync('LICENSE', join(target, 'LICENSE'));
copyFileSync('src/sdk/README.md', join(target, 'README.md'));
console.log(`${target}: ${manifest.name} ${version}, ${paths.length} modules and declarations`);
