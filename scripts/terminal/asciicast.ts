import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Frame = readonly [seconds: number, text: string];

/** A shell script that is recorded on a pseudo-terminal. */
export interface RecordedProgram {
  /** The output so far, with the seconds since the start. */
  readonly frames: readonly Frame[];
  /** Returns the output so far as plain text. */
  text(): string;
  type(keys: string): void;
  readonly ended: Promise<unknown>;
}

/**
 * Starts a shell script on a pseudo-terminal, with `script` of util-linux. `shown` is the command line with which the
 * recording begins, unless the script prints it itself. `rename` replaces parts of the output, such as the path of a
 * temporary folder.
 */
export function startRecorded(
  script: string,
  options: {
    readonly shown?: string;
    readonly size: Size;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    rename(output: string): string;
  },
): RecordedProgram {
  const { columns, rows } = options.size;
  const child: ChildProcessWithoutNullStreams = spawn(
    'script',
    ['-qfec', `stty cols ${columns} rows ${rows}; ${script}`, '/dev/null'],
    { cwd: options.cwd, env: { SHELL: '/bin/bash', TERM: 'xterm-256color', ...options.env } },
  );
  const frames: Frame[] = options.shown === undefined ? [] : [[0, `$ ${options.shown}\r\n`]];
  const began = Date.now();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    frames.push([Number(((Date.now() - began) / 1000).toFixed(2)), options.rename(text)]);
  });
  return {
    frames,
    text: () => stripVTControlCharacters(frames.map(([, text]) => text).join('')),
    type: (keys) => child.stdin.write(keys),
    ended: once(child, 'close'),
  };
}

/** Returns the content of an asciicast file (asciinema v2). A player shortens pauses to two seconds. */
export function asciicast(title: string, { columns, rows }: Size, frames: readonly Frame[]): string {
  const header = { version: 2, width: columns, height: rows, title, idle_time_limit: 2 };
  const lines = frames.map(([seconds, text]) => [seconds, 'o', text]);
  return `${[header, ...lines].map((line) => JSON.stringify(line)).join('\n')}\n`;
}
