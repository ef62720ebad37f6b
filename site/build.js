import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { assemble, SiteProblems } from './pages/assemble.js';

/**
 * Builds the site into `site/dist`; `--serve` then serves it at `--port` (default: 4173). `--root` is the repository to read, `--target`
 * the folder to write.
 */
const { values } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '4173' },
    root: { type: 'string', default: resolve(import.meta.dirname, '..') },
    target: { type: 'string', default: resolve(import.meta.dirname, 'dist') },
  },
});
process.env.SITE_ROOT = resolve(values.root);
process.env.SITE_TARGET = resolve(values.target);

try {
  assemble(process.env.SITE_ROOT, resolve(import.meta.dirname, '.build/pages'));
} catch (error) {
  if (!(error instanceof SiteProblems)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
// Imported here, since VitePress's configuration reads the files that `assemble` has written.
const { build, serve } = await import('vitepress');
await build(import.meta.dirname);
if (values.serve) await serve({ root: import.meta.dirname, port: Number(values.port) });
