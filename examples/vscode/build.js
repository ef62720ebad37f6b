import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';

/** Builds the extension from one source for desktop and web, and the page of its view. */
const shared = { bundle: true, minify: true, legalComments: 'eof', logLevel: 'warning' };
const extension = { ...shared, format: 'cjs', external: ['vscode'], target: 'es2022' };

await build({ ...extension, entryPoints: ['src/desktop.ts'], outfile: 'dist/desktop.js', platform: 'node' });
const worker = await build({
  ...shared,
  entryPoints: ['src/search-worker.ts'],
  platform: 'browser',
  format: 'iife',
  target: 'es2022',
  write: false,
});
// Targets browsers, so that an import of a Node module fails the build.
await build({
  ...extension,
  entryPoints: ['src/web.ts'],
  outfile: 'dist/web.js',
  platform: 'browser',
  define: { SEARCH_WORKER: JSON.stringify(worker.outputFiles[0].text) },
});
await build({
  ...shared,
  entryPoints: { view: 'src/webview/main.tsx' },
  outdir: 'dist',
  format: 'iife',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
});
// The editor loads an extension with `require`.
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');
