import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { plainTypes } from './plain-types.js';

/**
 * Writes `dist-sdk`: the SDK as a package of its own, for those who want nothing but the client. The same modules that
 * `npm run build` compiled, without the service and without a dependency: the types of the contract, which Zod infers in the whole
 * package, are spelled out.
 */
const target = 'dist-sdk';

/** A module or a declaration and all that it imports, by their paths below `dist`. */
function reach(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  // Of the contract only types are used; they are written anew, and import nothing.
  if (path.startsWith('contract/')) return found;
  const ending = path.endsWith('.d.ts') ? '.d.ts' : '.js';
  for (const [, imported = ''] of readFileSync(join('dist', path), 'utf8').matchAll(/from '([^']+)'/g)) {
    if (!imported.startsWith('.')) throw new Error(`${path} imports ${imported}`);
    reach(normalize(join(dirname(path), imported.replace(/\.js$/, ending))), found);
  }
  return found;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}

rmSync(target, { recursive: true, force: true });
const reached = [...reach('sdk/index.js'), ...reach('sdk/index.d.ts')];
const contract = reached.filter((path) => path.startsWith('contract/'));
for (const path of reached.filter((each) => !contract.includes(each))) {
  const text = readFileSync(join('dist', path), 'utf8');
  write(`lib/${path}`, text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n'));
}
for (const [path, text] of plainTypes('dist', contract)) write(`lib/${path}`, text);

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
console.log(`${target}: ${manifest.name} ${version}, ${reached.length} modules and declarations`);
