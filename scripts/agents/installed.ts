import { homedir } from 'node:os';
import { join } from 'node:path';
import { installNode, installPython } from '../upstreams/program.js';
import type { Agent } from './agents.js';

/** Node.js for the agents, because some of them need a newer one than the service does. */
const NODE = 'node@22.23.3';

/** Folder of the installed agents. It is outside the checkout, so that only the first run downloads them. */
const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'stepwise-agents');

/** Installs an agent, once for each version, and returns the folders of its programs. Throws if it cannot be installed. */
export function install({ package: { registry, name, version } }: Agent): readonly string[] {
  const target = join(folder, name.replaceAll('/', '+'));
  if (registry === 'pypi') return [join(installPython(target, [`${name}==${version}`]), 'bin')];
  // Install scripts are allowed, because some agents install their program by one.
  const options = { runsScripts: true };
  const programs = [
    installNode(target, [`${name}@${version}`], options),
    installNode(join(folder, 'node'), [NODE], options),
  ];
  return programs.map((each) => join(each, 'node_modules/.bin'));
}
