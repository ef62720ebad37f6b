import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { pageUrl, readPrograms } from '../agents/page.js';

const execute = promisify(execFile);
const TIMEOUT_MS = 120_000;

/** A command that runs a program, and the folder from which the program finds its packages. */
export interface Place {
  readonly command: readonly [string, ...string[]];
  readonly folder: string;
}

interface PageProgram {
  /** The program's first import, which serves as its title. */
  readonly title: string;
  /** The program's failure; undefined if it printed the call or the answer. */
  readonly problem: string | undefined;
}

/** Replies to the page's programs like a model that writes its calls as text: it lists the files, then answers. */
export function replyToPagePrograms({ rawBody }: { readonly rawBody: string }): ScriptedReply {
  return rawBody.includes('kettle.txt')
    ? { text: 'Thought: I know it.\nFinal Answer: One file: kettle.txt' }
    : { text: 'Thought: I look.\nAction: list_files()' };
}

/** Runs each program of docs/use-it-with-your-agent.md unchanged, except for the address of the service. */
export async function runPagePrograms(
  places: { readonly npm: Place; readonly pypi: Place },
  serviceUrl: string,
): Promise<PageProgram[]> {
  const programs: PageProgram[] = [];
  for (const [index, { language, text }] of readPrograms().entries()) {
    const { command, folder } = language === 'js' ? places.npm : places.pypi;
    const file = join(folder, `page-program-${index}.${language === 'js' ? 'mjs' : 'py'}`);
    writeFileSync(file, text.replaceAll(pageUrl, serviceUrl));
    const [program, ...words] = command;
    // The program inherits no other variables, so it finds neither keys nor proxies.
    const env = { PATH: process.env['PATH'], HOME: folder };
    const output = await execute(program, [...words, file], { cwd: folder, env, timeout: TIMEOUT_MS }).then(
      ({ stdout }) => stdout,
      String,
    );
    const isDone = /list_files|One file: kettle\.txt/.test(output) && !output.startsWith('Error');
    programs.push({ title: text.split('\n')[0] ?? '', problem: isDone ? undefined : output });
  }
  return programs;
}
