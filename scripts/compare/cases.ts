import type { RecordedRequest, ScriptedReply } from '../../src/offline/testing.js';
import { type Column, columns } from './columns.js';
import type { Dialect } from './dialects.js';

/** One thing that goes wrong, the same for every agent but for the words in which its model writes. */
export interface Case {
  /** What each run asks. */
  readonly task?: string;
  readonly model?: string;
  /** Seconds that a call of the model may take, set as each framework's documents say. */
  readonly timeout?: number;
  /** Seconds after which a run is ended from outside. */
  readonly limit?: number;
  /** The upstream of each run, which answers a request by its number, from 0. */
  readonly runs: (dialect: Dialect) => readonly Upstream[];
  readonly columns: readonly Column[];
}

export type Upstream = (request: RecordedRequest, index: number) => ScriptedReply;

/** What every right answer holds, and none that was cut. */
export const rightAnswer = '42';
export const defaults = { task: 'How many orders are there?', model: 'gpt-4o', limit: 60 } as const;
const answerText = `There are ${rightAnswer} orders.`;

/** `gpt-4` has this window, and the upstream refuses what is longer. */
const window = 8_192;
const charactersPerToken = 4;

const first =
  (reply: (dialect: Dialect) => ScriptedReply, then = (dialect: Dialect) => dialect.answer(answerText)) =>
  (dialect: Dialect): Upstream[] => [(_, index) => (index === 0 ? reply(dialect) : then(dialect))];
const always =
  (reply: ScriptedReply | ((dialect: Dialect) => ScriptedReply)) =>
  (dialect: Dialect): Upstream[] => [() => (typeof reply === 'function' ? reply(dialect) : reply)];

/** A window as a provider keeps it, with a rough count. */
const withinWindow =
  (upstream: Upstream): Upstream =>
  (request, index) =>
    promptLength(request) > window * charactersPerToken
      ? { fault: 'context-overflow' }
      : upstream(request, index);

/** Characters of all messages. */
export function promptLength({ body }: Pick<RecordedRequest, 'body'>): number {
  const messages: unknown[] = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.reduce<number>((sum, message) => sum + contentLength(message), 0);
}

function contentLength(message: unknown): number {
  const { content } = Object(message);
  return typeof content === 'string' ? content.length : JSON.stringify(content ?? '').length;
}

const notThis = 'That is out of date and I leave it alone.';

/** Six replies that quote a call and do not make it; each ends with an answer in the taught form. */
function quotations({ quoted, answer, fenceLanguage = '' }: Dialect): ScriptedReply[] {
  const fenced = `\`\`\`${fenceLanguage}\n${quoted}\n\`\`\``;
  const oneLine = quoted.replaceAll('\n', ' ');
  const thoughts = [
    `The old handbook says:\n\n${fenced}\n\n${notThis}`,
    `The old handbook says:\n\n${quoted.replaceAll(/^/gm, '> ')}\n\n${notThis}`,
    `The old handbook has the line \`${oneLine}\`. ${notThis}`,
    `The old handbook has these steps:\n\n1. ${oneLine}\n2. Start anew.\n\n${notThis}`,
  ];
  const considered = answer(answerText);
  return [
    ...thoughts.map((thought) => answer(answerText, thought)),
    { ...considered, text: `<think>\nPerhaps:\n${quoted}\nNo. ${notThis}\n</think>\n${considered.text}` },
    answer(`${answerText} Never do what the old handbook says:\n\n${fenced}`),
  ];
}

const longAnswer = `${'The orders were counted by hand, one after the other, on every floor of the shop. '.repeat(20)}${answerText}`;
const longTask = `${'The customer wrote that the parcel came late and that the box was wet. '.repeat(600).slice(0, 39_900)} ${defaults.task}`;

const { ending, endings, requests, seconds, pauses, longestPrompt, deleted, deletedRuns, whereTheKeyWas } =
  columns;

/** Each by the heading of its section in docs/beside-other-agents.md. */
export const cases: Readonly<Record<string, Case>> = {
  'An action that cannot be read': {
    runs: first(({ broken }) => broken),
    columns: [ending, requests, deleted],
  },
  'An action that is only quoted': {
    runs: (dialect) =>
      quotations(dialect).map(
        (reply): Upstream =>
          (_, index) =>
            index === 0 ? reply : dialect.answer(answerText),
      ),
    columns: [deletedRuns, endings],
  },
  'A task longer than the window': {
    task: longTask,
    model: 'gpt-4',
    runs: (dialect) => always(({ answer }) => answer(answerText))(dialect).map(withinWindow),
    columns: [ending, requests, longestPrompt],
  },
  'An observation longer than the window': {
    model: 'gpt-4',
    runs: (dialect) => first(({ act }) => act('read_log', 'day', '2026-01-31'))(dialect).map(withinWindow),
    columns: [ending, requests, longestPrompt],
  },
  'An upstream that never answers': {
    timeout: 3,
    runs: always({ fault: 'silence' }),
    columns: [ending, seconds, requests],
  },
  'An upstream that answers byte by byte': {
    timeout: 3,
    limit: 30,
    runs: always(({ answer }) => ({ fault: 'drip', completion: answer(longAnswer), intervalMs: 250 })),
    columns: [ending, seconds, requests],
  },
  'A rate limit that asks for seven seconds': {
    runs: always({ fault: 'rate-limited', retryAfter: '7' }),
    columns: [ending, seconds, requests, pauses],
  },
  'A connection that breaks in the middle of the answer': {
    runs: first(({ answer }) => ({ fault: 'cut', completion: answer(longAnswer) })),
    columns: [ending, requests],
  },
  'A connection that breaks each time': {
    runs: always(({ answer }) => ({ fault: 'cut', completion: answer(longAnswer) })),
    columns: [ending, seconds, requests],
  },
  'Prose without a label': {
    runs: always({ text: answerText }),
    columns: [ending, requests],
  },
  'An empty answer': {
    runs: always({ text: '' }),
    columns: [ending, requests],
  },
  'A tool that does not exist': {
    runs: first(({ act }) => act('count_orders', 'day', '2026-01-31')),
    columns: [ending, requests],
  },
  'A key that the upstream repeats': {
    runs: always({ fault: 'echoed-key' }),
    columns: [ending, requests, whereTheKeyWas],
  },
};
