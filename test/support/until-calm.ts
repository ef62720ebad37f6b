import { setTimeout as wait } from 'node:timers/promises';
import { stepRequest } from './whole-service.js';

/** Until a service that shares its event loop with a test takes requests: on a busy machine both may be late (rule: overload). */
export async function untilCalm(url: string): Promise<void> {
  const body = JSON.stringify(stepRequest({ max_iterations_left: 0 }));
  const headers = { 'content-type': 'application/json' };
  const status = async (): Promise<number> =>
    (await fetch(`${url}/api/agent/react_step`, { method: 'POST', headers, body })).status;
  while ((await status()) === 503) await wait(200);
}
