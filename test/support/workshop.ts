import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from '@jest/globals';
import type { Tool, ToolArguments } from '../../src/sdk/actions/define-tool.js';
import { createToolPack, type ToolPackOptions } from '../../src/tools/tool-pack.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export interface Workshop {
  /** The real path of the project. The file `outside/secret.txt` is next to it. */
  readonly folder: string;
  readonly outside: string;
  write(path: string, content: string | Buffer): void;
  tool(name: string): Tool;
  /** Calls a tool as a run would. Rejects with whatever the tool throws. */
  call(name: string, args: ToolArguments, signal?: AbortSignal): Promise<string>;
}

export const secret = 'the secret from outside';

/** Creates a project in a temporary folder, with a tool pack for it. */
export async function openWorkshop(
  files: Readonly<Record<string, string | Buffer>> = {},
  options: ToolPackOptions = {},
): Promise<Workshop> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'stepwise-tools-')));
  folders.push(base);
  const [folder, outside] = [join(base, 'project'), join(base, 'outside')];
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  mkdirSync(folder);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), secret);
  for (const [path, content] of Object.entries(files)) write(path, content);
  const tools = new Map((await createToolPack(folder, options)).map((tool) => [tool.name, tool]));
  const tool = (name: string): Tool => {
    const found = tools.get(name);
    if (!found) throw new Error(`No tool ${name}.`);
    return found;
  };
  const call = async (name: string, args: ToolArguments, signal = new AbortController().signal) =>
    String(await tool(name).execute(args, { signal, callId: 'call_1' }));
  return { folder, outside, write, tool, call };
}

/** Script of a worker that replaces the folder `a` by the link `evil` and back, as fast as it can. */
export const swapping = `
  const { mkdirSync, renameSync, rmSync, symlinkSync } = require('node:fs');
  const folder = require('node:worker_threads').workerData;
  const at = (name) => folder + '/' + name;
  const swap = () => {
    renameSync(at('a'), at('aside'));
    renameSync(at('evil'), at('a'));
    renameSync(at('a'), at('evil'));
    renameSync(at('aside'), at('a'));
  };
  /** Restores the folder. A tool may recreate it between two swaps, so each round starts from scratch. */
  const reset = () => {
    for (const name of ['a', 'aside', 'evil']) rmSync(at(name), { recursive: true, force: true });
    mkdirSync(at('a'));
    symlinkSync('../outside', at('evil'));
  };
  for (;;) try { swap(); } catch { try { reset(); } catch {} }
`;
