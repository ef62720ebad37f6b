import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeProvider } from '../../src/offline/fake-provider.js';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { atMost, type Figure } from '../figures.js';
import type { BenchOptions } from '../measure/rounds.js';

const FRAME = '\u001b[?2026h';
const BETWEEN_DELTAS_MS = 3;

interface Drawn {
  /** Milliseconds until the first byte of output. */
  readonly paintMs: number;
  readonly frames: number;
  /** Seconds from the first frame to the last. */
  readonly seconds: number;
  readonly bytes: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

const sentence = 'The **total** of a cart is the sum of its `lines`, less what its coupons take. ';
const paragraphs = (characters: number): string =>
  `${sentence.repeat(5)}\n\n`.repeat(Math.ceil(characters / (sentence.length * 5)));

/** Scripted answers by the kind of content, with the number of chunks in which they arrive. */
const answers: Readonly<Record<string, { text: string; chunks: number; delayMs?: number }>> = {
  '2,000 deltas': { text: paragraphs(16_000), chunks: 2_000, delayMs: BETWEEN_DELTAS_MS },
  'an answer of 500 KB': { text: paragraphs(500_000), chunks: 5_000 },
  '242 KB of nested quotes': { text: '> '.repeat(121_000), chunks: 2_500 },
  '180,000 Chinese characters': {
    text: '折扣是购物车总额的十分之一，上限为四十。'.repeat(9_000),
    chunks: 2_500,
  },
};

/**
 * Measures the CLI on a pseudo-terminal of 100 columns while a scripted model answers. The service runs inside the
 * CLI's process.
 */
export async function run({ quick }: BenchOptions): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [what, { text, chunks, delayMs = 0 }] of Object.entries(answers)) {
    const content = quick ? text.slice(0, 2_000) : text;
    const drawn = await draw({ text: '', chunks: splitEvenly(content, chunks), chunkDelayMs: delayMs });
    figures.push(...figuresOf(what, drawn, Buffer.byteLength(content)));
  }
  return figures;
}

function figuresOf(what: string, drawn: Drawn, length: number): Figure[] {
  const { paintMs, frames, seconds, bytes, cpuSeconds, peakMegabytes } = drawn;
  return [
    { what: `${what}: frames per second`, unit: '', measured: atMost(31, [frames / seconds]) },
    { what: `${what}: bytes written per byte of text`, unit: '', measured: atMost(10, [bytes / length]) },
    { what: `${what}: peak memory`, unit: 'MB', digits: 0, measured: atMost(250, [peakMegabytes]) },
    { what: `${what}: CPU, start included`, unit: 's', measured: { samples: [cpuSeconds] } },
    { what: `${what}: to the first paint`, unit: 'ms', digits: 0, measured: { samples: [paintMs] } },
  ];
}

function splitEvenly(text: string, chunks: number): readonly string[] {
  const length = Math.ceil(text.length / chunks);
  const lead = `Thought: That is all.\nFinal Answer: `;
  return [
    lead,
    ...Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
      text.slice(at * length, (at + 1) * length),
    ),
  ];
}

async function draw(reply: ScriptedReply): Promise<Drawn> {
  const provider = await startFakeProvider();
  provider.script([reply]);
  const home = mkdtempSync(join(tmpdir(), 'stepwise-bench-'));
  const usage = join(home, 'usage.json');
  writeFileSync(join(home, 'report-usage.mjs'), reportUsage(usage));
  try {
    const begun = performance.now();
    const child = spawn('script', ['-qfec', `stty cols 100 rows 40; ${command(home)}`, '/dev/null'], {
      cwd: home,
      env: {
        ...{ PATH: process.env['PATH'], HOME: home, SHELL: '/bin/bash', TERM: 'xterm-256color' },
        UPSTREAMS: JSON.stringify({ fake: `${provider.url}/v1` }),
      },
    });
    const seen = watch(child.stdout, begun);
    await once(child, 'close');
    const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(usage, 'utf8'));
    return { ...seen(), cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMegabytes: maxRSS / 1_000 };
  } finally {
    await provider.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  }
}

const command = (home: string): string =>
  `${process.execPath} --import ${home}/report-usage.mjs ${process.cwd()}/.build/src/cli/main.js --model scripted --upstream fake Tell`;

/** Returns code that runs in the CLI's process and writes that process's resource usage to a file. */
const reportUsage = (file: string): string => `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.resourceUsage())));`;

function watch(output: NodeJS.ReadableStream, begun: number) {
  const times: number[] = [];
  let [paintMs, bytes] = [0, 0];
  output.setEncoding('utf8').on('data', (text: string) => {
    paintMs ||= performance.now() - begun;
    bytes += Buffer.byteLength(text);
    for (let frame = text.split(FRAME).length; frame > 1; frame -= 1) times.push(performance.now());
  });
  return () => {
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
    return { paintMs, bytes, frames: times.length, seconds };
  };
}
