import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../agents/recorder.js';

const MAX_SHOWN = 300;

/** Problem of one answer according to the vendors' types; null if the answer matches them. */
export type Judgement = string | null;

/**
 * Checks answers against the types that OpenAI, Anthropic and Open Responses publish for Python. `python` is the
 * interpreter whose environment contains these types.
 */
export function judgeByPython(
  exchanges: readonly Exchange[],
  python: string,
  folder: string,
): readonly Judgement[] {
  const input = JSON.stringify(exchanges);
  const output = execFileSync(python, ['judge.py'], { cwd: folder, input, maxBuffer: 2 ** 26 });
  return JSON.parse(output.toString());
}

/** Names of the TypeScript types of each path: for plain answers, and for the events of streams. */
const types: Readonly<Record<string, { readonly plain: string; readonly event: string }>> = {
  '/v1/chat/completions': { plain: 'ChatCompletion', event: 'ChatCompletionChunk' },
  '/v1/responses': { plain: 'Response', event: 'ResponseStreamEvent' },
  '/v1/messages': { plain: 'Message', event: 'RawMessageStreamEvent' },
  '/v1/messages/count_tokens': { plain: 'MessageTokensCount', event: 'never' },
};

/**
 * Beginning of the program that checks the answers. `Sent<T>` is the type T as JSON: without `output_text`, which
 * OpenAI's client adds, and with a `usage` that may be null, as Open Responses requires while a response is in
 * progress.
 */
const header = `import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { Message, MessageTokensCount, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
type Sent<T> = T extends readonly (infer Item)[] ? readonly Sent<Item>[]
  : T extends object ? { readonly [Key in keyof T as Key extends 'output_text' ? never : Key]:
    Sent<T[Key]> | (Key extends 'usage' ? null : never) } : T;
`;

/**
 * Checks answers against the types that OpenAI and Anthropic publish for TypeScript: a program that assigns each answer
 * to its type must compile. `folder` contains the packages.
 */
export function judgeByTypeScript(
  exchanges: readonly Exchange[],
  compiler: string,
  folder: string,
): readonly Judgement[] {
  const lines = header.split('\n').slice(0, -1);
  const owners: number[] = [];
  for (const [index, { path, contentType, answer }] of exchanges.entries()) {
    const { plain, event } = types[path] ?? { plain: 'never', event: 'never' };
    const isStream = contentType.startsWith('text/event-stream');
    for (const text of isStream ? eventsIn(answer) : [answer]) {
      const name = `answer${lines.length}`;
      // Two statements, because TypeScript rejects additional fields of a literal only if it is assigned directly.
      lines.push(
        `const ${name} = ${text} as const; export const typed_${name}: Sent<${isStream ? event : plain}> = ${name};`,
      );
      owners[lines.length] = index;
    }
  }
  writeFileSync(join(folder, 'answers.ts'), lines.join('\n'));
  const options = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    '--pretty',
    'false',
  ];
  const target = ['--target', 'es2023', '--module', 'nodenext', '--ignoreConfig'];
  const { stdout, status } = spawnSync(process.execPath, [compiler, ...options, ...target, 'answers.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const judgements: Judgement[] = exchanges.map(() => null);
  for (const [, line = '', problem = ''] of stdout.matchAll(/^answers\.ts\((\d+),\d+\): (.*(?:\n .*)*)/gm)) {
    const owner = owners[Number(line)];
    // The last line of a compiler error is the most specific one.
    const reason = problem.split('\n').at(-1)?.trim().slice(0, MAX_SHOWN);
    if (owner !== undefined)
      judgements[owner] ??= `${reason} in ${lines[Number(line) - 1]?.slice(0, MAX_SHOWN)}`;
  }
  if (status !== 0 && judgements.every((each) => each === null)) throw new Error(`tsc failed: ${stdout}`);
  return judgements;
}

/** Returns the JSON of each event of a stream. Pings are left out, because the vendors' types do not include them. */
const eventsIn = (stream: string): string[] =>
  stream
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []))
    .filter((text) => text !== '{"type":"ping"}');
