import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { inTurns } from './in-turns.js';
import { questionAt } from './questions.js';
import { environmentFor, shop } from './trial-service.js';
import type { Protocol, TriedRun } from './tried-step.js';

/** So many runs in a protocol through the CLI, with its whole tool pack. */
export async function tryRuns(model: string, protocol: Protocol, count: number): Promise<TriedRun[]> {
  return inTurns([...Array(count).keys()], async (index) => {
    const run = await tryRun(model, protocol, questionAt(index));
    console.error(`run ${index + 1} in ${protocol}: ${run.actions} actions in ${run.steps} steps`);
    return run;
  });
}

/** One run as anyone would start it. */
async function tryRun(model: string, protocol: Protocol, question: string): Promise<TriedRun> {
  const args =
    `--upstream trial --model any --protocol ${protocol} --max-steps 4 --token-limit 8000 --dir ${shop} --json`.split(
      ' ',
    );
  const child = spawn(process.execPath, ['.build/src/cli/main.js', ...args, question], {
    env: { ...process.env, ...environmentFor(model) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [exit]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const events = out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const count = (type: string) => events.filter((event) => event.type === type).length;
  const end = events.findLast((event) => event.type === 'agent_completion' || event.type === 'agent_stopped');
  return {
    protocol,
    question,
    exit,
    steps: count('agent_turn_start'),
    actions: count('tool_start'),
    failedActions: count('tool_error'),
    unreadable: events.filter((event) => JSON.stringify(event).includes('unreadable_action')).length,
    answer: end?.result?.answer ?? null,
  };
}
