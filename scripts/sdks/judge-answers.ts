import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../agents/recorder.js';

const MAX_SHOWN = 300;

/** The problem that the vendors' types find in one answer, or null. */
export type Judgement = string | null;

/**
 * Judges answers by the types that OpenAI, Anthropic and Open Responses publish for Python. `python` is the program
 * in whose environment they are installed.
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

/** Types of a path's plain answers and of the events of its streams. */
const types: Readonly<Record<string, { readonly plain: string; readonly event: string }>> = {
  '/v1/chat/completions': { plain: 'ChatCompletion', event: 'ChatCompletionChunk' },
  '/v1/responses': { plain: 'Response', event: 'ResponseStreamEvent' },
  '/v1/messages': { plain: 'Message', event: 'RawMessageStreamEvent' },
  '/v1/messages/count_tokens': { plain: 'MessageTokensCount', event: 'never' },
};

/**
 * `Sent<T>` is a value of the type T as JSON. It lacks `output_text`, which OpenAI's client adds, and its `usage` may be
 * null, which Open Responses requires while a response is in progress.
 */
const header = `import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { Message, MessageTokensCount, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
type Sent<T> = T extends readonly (infer Item)[] ? readonly Sent<Item>[]
  : T extends object ? { readonly [Key in keyof T as Key extends 'output_text' ? never : Key]:
    Sent<T[Key]> | (Key extends 'usage' ? null : never) } : T;
`;

/**
 * Judges answers by the types that OpenAI and Anthropic publish for TypeScript: a program that assigns each answer
 * to its type must compile. `folder` has the packages.
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
      // Two statements, because a literal may not have fields that its type lacks.
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
    // The last line of a diagnosis is the most exact one.
    const reason = problem.split('\n').at(-1)?.trim().slice(0, MAX_SHOWN);
    if (owner !== undefined)
      judgements[owner] ??= `${reason} in ${lines[Number(line) - 1]?.slice(0, MAX_SHOWN)}`;
  }
  if (status !== 0 && judgements.every((each) => each === null)) throw new Error(`tsc failed: ${stdout}`);
  return judgements;
}

/** Returns the JSON of each event of a stream. Events that only keep a connection open have no type. */
const eventsIn = (stream: string): string[] =>
  stream
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []))
    .filter((text) => text !== '{"type":"ping"}');
