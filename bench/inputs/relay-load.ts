import { atOnce, post } from '../measure/client.js';
import type { Rounds } from '../measure/rounds.js';
import type { Route } from '../stacks/routes.js';
import { takeCode } from './code.js';

/** Requests of one size, some at a time. */
export interface RelayLoad extends Rounds {
  /** Of each body. */
  readonly bytes: number;
  /** Characters of it that are one file, the same in ten requests, as in the steps of a run; 0 for none. */
  readonly context: number;
  readonly requests: number;
  readonly atOnce: number;
  readonly streamed: boolean;
}

const RUN = 10;

/** Sends what a round sends, each question new; resolves with the milliseconds that each took. */
export async function sendRound(route: Route, load: RelayLoad): Promise<number[]> {
  const bodies = bodiesOf(route, load);
  const url = route.url(load.streamed);
  const times: number[] = [];
  await atOnce(load.atOnce, bodies.length, async (index) => {
    const start = performance.now();
    const { status, text } = await post(url, bodies[index] ?? '', { headers: route.headers });
    times.push(performance.now() - start);
    if (status !== 200) throw new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
  });
  return times;
}

function bodiesOf(route: Route, { bytes, context, requests, streamed }: RelayLoad): string[] {
  let file = '';
  return Array.from({ length: requests }, (_, index) => {
    if (index % RUN === 0) file = takeCode(context);
    const body = (question: string): string =>
      JSON.stringify(route.body({ context: file, question, streamed }));
    return body(takeCode(Math.max(100, bytes - body('').length)));
  });
}
