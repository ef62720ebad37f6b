import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Project, ts } from 'ts-morph';

/**
 * Writes `dist-sdk`: the SDK as a package of its own, `@stepwise/client`, without dependencies. It contains the
 * modules that `npm run build` compiled. Only the types of the contract are different: in the whole package they
 * are inferred with Zod, here they are spelled out.
 */
const target = 'dist-sdk';

/**
 * Returns the paths below `dist` of a module or declaration file, and of everything that it imports, directly or
 * indirectly.
 */
function collectImports(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  // The SDK uses only types of the contract. `plainTypes` rewrites those files, and the result imports nothing, so
  // they are not followed here.
  if (path.startsWith('contract/')) return found;
  const extension = path.endsWith('.d.ts') ? '.d.ts' : '.js';
  for (const [, imported = ''] of readFileSync(join('dist', path), 'utf8').matchAll(/from '([^']+)'/g)) {
    if (!imported.startsWith('.')) throw new Error(`${path} must not import the package ${imported}.`);
    collectImports(normalize(join(dirname(path), imported.replace(/\.js$/, extension))), found);
  }
  return found;
}

const typeFormat =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.InTypeAlias |
  ts.NodeBuilderFlags.MultilineObjectLiterals |
  ts.NodeBuilderFlags.UseSingleQuotesForStringLiteralType;

/**
 * Rewrites declaration files so that they do not need Zod: each exported type alias keeps its comments and gets
 * its inferred type spelled out. Values are left out. Returns the new text of each file by its path.
 */
function plainTypes(folder: string, paths: readonly string[]): Map<string, string> {
  const project = new Project({
    compilerOptions: {
      module: ts.ModuleKind.NodeNext,
      strict: true,
      exactOptionalPropertyTypes: true,
      types: [],
    },
  });
  const files = new Map(paths.map((path) => [path, project.addSourceFileAtPath(join(folder, path))]));
  const checker = project.getTypeChecker().compilerObject;
  const printer = ts.createPrinter();
  const texts = [...files].map(([path, file]): [string, string] => {
    const aliases = file.getTypeAliases().filter((alias) => alias.isExported());
    const lines = aliases.map((alias) => {
      const type = checker.typeToTypeNode(alias.getType().compilerType, undefined, typeFormat);
      if (!type) throw new Error(`TypeScript cannot spell out the type ${alias.getName()} of ${path}.`);
      const comments = alias.getJsDocs().map((comment) => `${comment.getText()}\n`);
      const text = printer.printNode(ts.EmitHint.Unspecified, type, file.compilerNode);
      return `${comments.join('')}export type ${alias.getName()} = ${text};\n`;
    });
    return [path, lines.join('')];
  });
  return new Map(texts);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), text);
}

rmSync(target, { recursive: true, force: true });
const paths = [...collectImports('sdk/index.js'), ...collectImports('sdk/index.d.ts')];
const contract = paths.filter((path) => path.startsWith('contract/'));
for (const path of paths.filter((each) => !contract.includes(each))) {
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
console.log(`${target}: ${manifest.name} ${version}, ${paths.length} modules and declarations`);
