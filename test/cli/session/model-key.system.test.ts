import { execFileSync } from 'node:child_process';
import { expect } from '@jest/globals';
import { linux } from '../../support/need.js';
import { needs } from '../../support/needs.js';

const module = new URL('../../../src/cli/session/model-key.js', import.meta.url).href;
const { test: onLinux } = needs(linux);

/** Runs code after the import of the module and returns the JSON that it prints. */
const run = (code: string, environment: Record<string, string>): unknown => {
  const script = `
    import { readFileSync } from 'node:fs';
    import * as keys from ${JSON.stringify(module)};
    ${code}
    const shown = readFileSync('/proc/self/environ', 'latin1');
    console.log(JSON.stringify([shown.includes('sk-canary'), shown.includes('ordinary'), process.env.COPY, keys.usedKeys()]));`;
  const args = ['--input-type=module', '--eval', script];
  return JSON.parse(execFileSync(process.execPath, args, { env: environment, encoding: 'utf8' }));
};

onLinux(
  'a key that the person enters is removed from /proc/self/environ, while process.env keeps a variable that contains it (rule: command-safety)',
  () => {
    const environment = { COPY: 'https://sk-canary-entered@a.example', OTHER: 'ordinary' };
    expect(run(`keys.hideKey('sk-canary-entered');`, environment)).toEqual([
      false,
      true,
      'https://sk-canary-entered@a.example',
      ['sk-canary-entered'],
    ]);
  },
);

onLinux(
  'a key from the environment is removed from /proc/self/environ, even from other variables that contain it (rule: command-safety)',
  () => {
    const environment = {
      BEFORE: 'Bearer sk-canary-given',
      OPENAI_API_KEY: 'sk-canary-given',
      COPY: '{"headers":{"api-key":"sk-canary-given"}}',
      OTHER: 'ordinary',
    };
    expect(run('keys.takeModelKeys();', environment)).toEqual([
      false,
      true,
      '{"headers":{"api-key":"sk-canary-given"}}',
      ['sk-canary-given'],
    ]);
  },
);
