import { Agent, get } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Asks `/healthz` again and again from a thread of its own, so that nothing a test does can delay it. */
export interface HealthWatch {
  /** The longest an answer has taken, in milliseconds; Infinity where one did not come at all. */
  stop(): Promise<number>;
}

const PAUSE_MS = 5;

export async function watchHealth(url: string): Promise<HealthWatch> {
  const worker = new Worker(new URL(import.meta.url), { workerData: `${url}/healthz` });
  const said = (): Promise<number> => new Promise((resolve) => worker.once('message', resolve));
  await said();
  return {
    stop: async () => {
      const worst = said();
      worker.postMessage('stop');
      const waited = await worst;
      await worker.terminate();
      return waited;
    },
  };
}

async function watch(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  let isStopped = false;
  parentPort?.once('message', () => {
    isStopped = true;
  });
  // The first answer opens the connection.
  await ask(url, agent);
  parentPort?.postMessage(0);
  let worst = 0;
  while (!isStopped) {
    worst = Math.max(worst, await ask(url, agent));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  parentPort?.postMessage(worst);
}

function ask(url: string, agent: Agent): Promise<number> {
  const start = performance.now();
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.resume().once('end', () => resolve(performance.now() - start));
    }).once('error', () => resolve(Number.POSITIVE_INFINITY));
  });
}

if (!isMainThread && typeof workerData === 'string') await watch(workerData);
