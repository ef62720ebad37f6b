import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import type { Need } from './need.js';

/** Path of the program of the OpenTelemetry collector, which `test/support/collector/build` builds. */
const binary =
  process.env['STEPWISE_COLLECTOR'] ?? join(process.env['HOME'] ?? '', '.cache/stepwise/collector');

export const openTelemetryCollector: Need = {
  name: 'the OpenTelemetry collector',
  isMet: existsSync(binary),
  reason: 'not built; test/support/collector/build does it with Go in a few minutes',
};

/** A running OpenTelemetry collector that forwards everything it receives as JSON. */
export interface Collector {
  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  stop(): Promise<void>;
}

const configuration = (port: number, target: string): string => `
receivers:
  otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } }
exporters:
  otlp_http: { endpoint: "${target}", encoding: json, compression: none, sending_queue: { enabled: false } }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { traces: { receivers: [otlp], exporters: [otlp_http] } }
`;

export async function startCollector(target: string): Promise<Collector> {
  const port = await freePort();
  const file = join(tmpdir(), `stepwise-collector-${process.pid}-${port}.yaml`);
  await writeFile(file, configuration(port, target));
  const child = spawn(binary, ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  let said = '';
  for await (const words of child.stderr.setEncoding('utf8')) {
    said += words;
    if (said.includes('Everything is ready')) break;
  }
  if (child.exitCode !== null) throw new Error(`The collector did not start: ${said}`);
  child.stderr.resume();
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(file);
    },
  };
}
