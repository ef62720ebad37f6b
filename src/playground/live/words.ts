import type { RecordedStep } from '../../sdk/index.js';
import { outcomes } from '../inspect/reply/reading-in-words.js';
import { tokens } from '../text/figures.js';
import { wordFor } from '../text/word-for.js';
import type { Connection } from './connection.js';
import type { LiveStep } from './live-steps.js';

export const endpointNames: Readonly<Record<LiveStep['endpoint'], string>> = {
  react_step: 'react_step',
  chat: '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
};

/** Describes the outcome of a step in a few words, such as `calls read_file`. */
export function outcomeInWords({ response }: Pick<RecordedStep, 'response'>): string {
  const { status, action_details: first, additional_actions: more, parse, error, phase } = response;
  if (status === 'error') return error?.message ?? 'failed';
  const calls = [first, ...more].flatMap((call) => call?.tool_name ?? []);
  if (status === 'action_proposed') return `calls ${[...new Set(calls)].join(', ')}`;
  if (status === 'phase_completed') return `phase ${phase ?? ''} done`;
  if (!parse || parse.outcome === 'answer') return 'answers';
  return lowerFirst(wordFor(outcomes, parse.outcome));
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Describes the tokens of a step, such as `3.2k in · 2.9k cached · 41 out`; empty if no counts are known. */
export function tokensInWords({ usage, context_report: report }: RecordedStep['response']): string {
  const { input_tokens: input = null, cached_input_tokens: cached = null } = usage ?? {};
  const sent = input ?? report?.prompt_tokens ?? null;
  const output = usage?.output_tokens ?? null;
  return [
    ...(sent === null ? [] : [`${tokens(sent)} in`]),
    ...(cached === null ? [] : [`${tokens(cached)} cached`]),
    ...(output === null ? [] : [`${tokens(output)} out`]),
  ].join(' · ');
}

/** Formats a time of day in the person's time zone, such as `14:03:59`. */
export function timeOfDay(iso: string | null): string {
  const time = new Date(iso ?? '');
  return Number.isNaN(time.getTime()) ? '–' : time.toLocaleTimeString('en', { hourCycle: 'h23' });
}

/** Explains why the service refuses to be watched, and what to do. */
export function refusalInWords({ refusal, hadToken }: Extract<Connection, { type: 'refused' }>): string {
  const { status, error, message } = refusal;
  const [detail] = error?.details ?? [];
  if (status === 401) {
    return hadToken
      ? 'The service does not accept this token: enter another one.'
      : 'This service requires a token: enter one that may watch.';
  }
  if (status === 404) {
    return 'This service does not keep steps. If you run it, restart it with WATCH=on (in its repository: `WATCH=on npm start`); otherwise ask its operator. Then this page shows the steps of all clients.';
  }
  const known = refusals.get(detail?.code ?? '');
  return known ?? detail?.message ?? message;
}

const refusals: ReadonlyMap<string, string> = new Map([
  [
    'watch_not_allowed',
    'This token may not watch steps. Enter one whose entry in the token file has `watch: true`; the operator of the service can create it.',
  ],
  [
    'too_many_watchers',
    'The service allows no more watchers at the moment: close the Live page in another place, then try again.',
  ],
]);
