import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Copies what the contract's page loads of Swagger UI into `page` of the folder that is named, `dist/contract` by default, with the
 * licences. The rest of that package, and the one with an install script that it brings, are not for those who install this one.
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
