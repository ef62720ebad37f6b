import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Copies the files of Swagger UI that the page of the contract loads, with their licences, into `page` in the
 * folder given as argument (default: `dist/contract`). Because the files are copied, installations of this package
 * need neither that package nor its dependency with an install script.
 */
const source = 'node_modules/swagger-ui-dist';
const page = join(process.argv[2] ?? 'dist/contract', 'page');

mkdirSync(page, { recursive: true });
for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
  copyFileSync(join(source, name), join(page, name));
}
const licences = ['NOTICE', 'LICENSE', 'swagger-ui-bundle.js.LICENSE.txt'];
writeFileSync(
  join(page, 'licences.txt'),
  licences.map((name) => readFileSync(join(source, name))).join('\n\n'),
);
