import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Compiles the checkout's package, which the extension includes. Installs its dependencies first if they are missing. */
const checkout = new URL('../../', import.meta.url);
const run = (command) => execSync(command, { cwd: checkout, stdio: 'inherit' });

if (!existsSync(new URL('node_modules', checkout))) run('npm ci');
run('npm run -s compile');
