import { atOnce, post } from '../measure/client.js';
import type { Route } from '../stacks/routes.js';
import { takeCode } from './code.js';

/** A load for the benchmark: requests of equal size, several of them in flight at a time. */
export interface RelayLoad {
  /** Length of each body in bytes. */
  readonly bytes: number;
  /**
   * Length in characters of the file in each body; 0 for no file. Ten requests share one file, like the steps of a run.
   */
  readonly context: number;
  /** Number of requests in a round. */
  readonly requests: number;
  readonly atOnce: number;
  readonly streamed: boolean;
}

const REQUESTS_WITH_ONE_FILE = 10;

/** Sends the requests of a round, each with a new question. Resolves to the milliseconds that each took. */
export async function sendRound(route: Route, load: RelayLoad): Promise<number[]> {
  const bodies = bodiesOf(route, load);
  const url = route.url(load.streamed);
  const times: number[] = [];
  await atOnce(load.atOnce, bodies.length, async (index) => {
    const start = performance.now();
    const { status, text } = await post(url, bodies[index] ?? '', route.headers);
    times.push(performance.now() - start);
    if (status !== 200) throw new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
  });
  return times;
}

function bodiesOf(route: Route, { bytes, context, requests, streamed }: RelayLoad): string[] {
  let file = '';
  return Array.from({ length: requests }, (_, index) => {
    if (index % REQUESTS_WITH_ONE_FILE === 0) file = takeCode(context);
    const body = (question: string): string =>
      JSON.stringify(route.body({ context: file, question, streamed }));
    return body(takeCode(Math.max(100, bytes - body('').length)));
  });
}
