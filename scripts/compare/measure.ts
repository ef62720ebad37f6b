import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import {
  type FakeProvider,
  type RecordedRequest,
  type Respond,
  startFakeProvider,
} from '../../src/offline/testing.js';
import { type Agent, environment } from './agents.js';
import { type Case, defaults, promptLength, rightAnswer, type Upstream } from './cases.js';
import { columns, type Outcome } from './columns.js';

/** Looks like a key, and is found wherever it is left. */
const canary = 'sk-canary-3f9a1c77d05b42e8';
/** Seconds that a framework may take to load. */
const PATIENCE = 120;

/** What an agent's program says of a run; `ending` is set where there is no answer. */
interface Told {
  readonly answer: string | null;
  readonly ending: string | null;
  readonly seconds: number;
  readonly deleted: readonly string[];
  /** The error with its trace, and the model's object as text. */
  readonly raised: string;
  readonly printed: string;
}

/** Runs a case with one agent, in a process of its own, each run against an upstream of its own. */
export async function measure(agent: Agent, each: Case): Promise<Outcome[]> {
  const measured = each.runs(agent.dialect);
  // What is loaded at the first call is not the upstream's fault.
  const all = isTimed(each) ? [() => agent.dialect.answer(rightAnswer), ...measured] : measured;
  const upstreams = await Promise.all(all.map((upstream) => startFakeProvider(respond(agent, upstream))));
  try {
    const { told, log } = await runProgram(agent, each, upstreams);
    const outcomes = upstreams.map(({ requests }, index) => {
      const answered = requests.filter((request) => !isRefused(agent, request));
      return outcomeOf(told[index], answered, { each, log });
    });
    return outcomes.slice(-measured.length);
  } finally {
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  }
}

async function runProgram(agent: Agent, each: Case, upstreams: readonly FakeProvider[]) {
  const { task = defaults.task, model = defaults.model, timeout = null, limit = defaults.limit } = each;
  const runs = upstreams.map(({ url }) => ({ url, key: canary, task, model, timeout }));
  const [command, ...words] = agent.command;
  const child = spawn(command, words, { env: environment, stdio: 'pipe' });
  const told: Told[] = [];
  const log: string[] = [];
  const alarm = new Alarm(child);
  alarm.set(PATIENCE);
  child.stderr.on('data', (chunk: Buffer) => log.push(chunk.toString()));
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === '@@start') return alarm.set(limit);
    if (!line.startsWith('@@run ')) return log.push(line);
    alarm.set(PATIENCE);
    return told.push(JSON.parse(line.slice('@@run '.length)));
  });
  child.stdin.end(JSON.stringify({ agent: agent.name, runs }));
  await once(child, 'close');
  alarm.stop();
  if (told.length < runs.length && !alarm.rang)
    throw new Error(`${agent.name} broke off:\n${log.join('\n')}`);
  return { told, log: log.join('\n') };
}

const isTimed = ({ columns: shown }: Case): boolean => shown.includes(columns.seconds);

/** Counts the requests, so that a script knows where it is. */
function respond(agent: Agent, upstream: Upstream): Respond {
  let index = 0;
  return (request) => {
    if (isRefused(agent, request)) throw new Error(toolsRefused);
    return upstream(request, index++);
  };
}

const isRefused = ({ takesTools }: Agent, { body }: RecordedRequest): boolean =>
  !takesTools && 'tools' in body;

/** As servers of small models say it. */
const toolsRefused = 'this model does not support tools';

/** Ends a program whose time is up. */
class Alarm {
  rang = false;
  readonly #child: ChildProcess;
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  set(seconds: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.rang = true;
      this.#child.kill('SIGKILL');
    }, seconds * 1_000);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function outcomeOf(
  told: Told | undefined,
  calls: readonly RecordedRequest[],
  { each, log }: { each: Case; log: string },
): Outcome {
  const limit = each.limit ?? defaults.limit;
  const places = { 'its exception': told?.raised, 'its log': log, 'its model, printed': told?.printed };
  return {
    ending: told ? endingOf(told) : `still waiting after ${limit} s`,
    seconds: round(told?.seconds ?? limit),
    requests: calls.length,
    pauses: calls.slice(1).map(({ at }, index) => round((at - (calls[index]?.at ?? at)) / 1_000)),
    longestPrompt: Math.max(0, ...calls.map(promptLength)),
    deleted: told?.deleted ?? [],
    keyIn: Object.entries(places).flatMap(([place, text]) => (text?.includes(canary) ? [place] : [])),
  };
}

function endingOf({ answer, ending }: Told): string {
  if (ending !== null) return ending;
  if (!answer || answer === 'None') return 'returned nothing';
  if (answer.includes(rightAnswer)) return 'answered';
  return `returned “${shorten(answer)}”`;
}

const MOST_CHARACTERS = 60;
const shorten = (text: string): string => {
  const line = text.replaceAll(/[\s|`]+/g, ' ').trim();
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
};

const round = (seconds: number): number => Math.round(seconds * 10) / 10;
