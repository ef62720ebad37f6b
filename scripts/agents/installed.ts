import { homedir } from 'node:os';
import { join } from 'node:path';
import { installNode, installPython } from '../upstreams/program.js';
import type { Agent } from './agents.js';

/** npm package of the Node.js that runs the agents, because some of them need a newer one than the service does. */
const NODE = 'node@22.23.3';

/** Folder of the installed agents. It is outside the checkout, so that only the first run downloads them. */
const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'stepwise-agents');

/**
 * Installs an agent, once for each version, and returns the folders of its executables. Throws if it cannot be
 * installed.
 */
export function install({ package: { registry, name, version } }: Agent): readonly string[] {
  const target = join(folder, name.replaceAll('/', '+'));
  if (registry === 'pypi') return [join(installPython(target, [`${name}==${version}`]), 'bin')];
  // npm may run install scripts, because some agents need one to install their executable.
  const options = { runsScripts: true };
  const programs = [
    installNode(target, [`${name}@${version}`], options),
    installNode(join(folder, 'node'), [NODE], options),
  ];
  return programs.map((each) => join(each, 'node_modules/.bin'));
}
