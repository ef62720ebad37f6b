#!/usr/bin/env node
const { env } = process;

// Of `NO_COLOR` and `FORCE_COLOR` the first that is not empty counts (display/paint.ts). From Node.js 22 on, a module that loads `node:util`
// is enough for a warning on stderr where both are there, and it says the opposite: so one of them goes, before anything is loaded.
delete env[env['NO_COLOR'] ? 'FORCE_COLOR' : 'NO_COLOR'];

await import('./command-line.js');
