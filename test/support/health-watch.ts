import { Agent, get } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Requests `/healthz` repeatedly from a separate thread, so that the test itself cannot delay the requests. */
export interface HealthWatch {
  stop(): Promise<HealthTimes>;
}

/** Response times in milliseconds; Infinity for a request that got no response. */
interface HealthTimes {
  readonly worst: number;
  /** 95th percentile of the response times: how much this machine delays responses. */
  readonly p95: number;
}

const PAUSE_MS = 5;

export async function watchHealth(url: string): Promise<HealthWatch> {
  const worker = new Worker(new URL(import.meta.url), { workerData: `${url}/healthz` });
  const said = (): Promise<HealthTimes> => new Promise((resolve) => worker.once('message', resolve));
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
  // The first request opens the connection, so it is not measured.
  await ask(url, agent);
  parentPort?.postMessage(timesOf([]));
  const times: number[] = [];
  while (!isStopped) {
    times.push(await ask(url, agent));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  parentPort?.postMessage(timesOf(times));
}

function timesOf(times: readonly number[]): HealthTimes {
  const sorted = times.toSorted((a, b) => a - b);
  return { worst: sorted.at(-1) ?? 0, p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0 };
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
