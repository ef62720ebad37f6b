#!/usr/bin/env node
const { env } = process;

// The CLI uses `NO_COLOR` if it is not empty, or else `FORCE_COLOR` (display/paint.ts). Since version 22, Node.js
// warns on stderr if both are set, as soon as a module loads `node:util`. So one of them is deleted before anything is
// loaded.
delete env[env['NO_COLOR'] ? 'FORCE_COLOR' : 'NO_COLOR'];

await import('./command-line.js');
