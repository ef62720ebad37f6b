import type { TurnInput } from '../../src/contract/history.js';
import { stepPath } from '../../test/support/test-service.js';
import { llmConfig, stepRequest } from '../../test/support/whole-service.js';
import { type Figure, stated } from '../figures.js';
import { takeCode } from '../inputs/code.js';
import { postJson } from '../measure/client.js';
import { interleave } from '../measure/rounds.js';
import { type StackProcess, startStack } from '../measure/stack-process.js';

const SIZES = [10, 40, 160] as const;
const STEPS = 10;
const OBSERVED = 1_000;
/** The first ones compile: the figures have settled by the thirtieth. */
const rounds = { warmUp: 30, kept: 9 };

type Who = 'ours' | 'floor';
const whose: Readonly<Record<Who, string>> = {
  ours: 'this service',
  floor: 'its body read and written alone',
};

/** How the cost of a step grows with the history that is there already, beside reading and writing its body alone. */
export async function run({ quick }: { quick: boolean }): Promise<Figure[]> {
  const upstream = await startStack('upstream');
  const stacks = {
    ours: await startStack('stepwise', { upstreamUrl: upstream.url }),
    floor: await startStack('floor', { upstreamUrl: upstream.url }),
  };
  const urls = { ours: stacks.ours.url + stepPath, floor: `${stacks.floor.url}/echo` };
  const cpu = await interleave(
    SIZES.flatMap((units) => [`ours ${units}`, `floor ${units}`] as const),
    quick ? { warmUp: 0, kept: 1 } : rounds,
    (name) => {
      const [who, units] = name.split(' ') as [Who, string]; // as it was put together above
      return cpuOfNewSteps(stacks[who], { url: urls[who], units: Number(units) });
    },
  );
  for (const stack of [upstream, stacks.ours, stacks.floor]) stack.stop();
  return (['ours', 'floor'] as const).flatMap((who) => {
    const perUnit = cpu[`${who} 160`].map((ms, round) => (ms - (cpu[`${who} 10`][round] ?? 0)) / (160 - 10));
    return [
      stated(
        { what: `CPU of a step, what each unit there already adds: ${whose[who]}`, unit: 'µs' },
        perUnit.map((ms) => ms * 1_000),
      ),
      ...SIZES.map((units) =>
        stated(
          { what: `CPU of a step, ${units} units of history: ${whose[who]}`, unit: 'ms', digits: 2 },
          cpu[`${who} ${units}`],
        ),
      ),
    ];
  });
}

/** A task and so many units, each a call and what was observed: code that no other history holds. */
function newHistory(units: number): TurnInput[] {
  const task: TurnInput = { role: 'user', content: 'Where is the total computed?' };
  const history = Array.from({ length: units }, (_, index): TurnInput[] => {
    const toolCall = { id: `call_${index}`, name: 'read_file', parameters: { path: `src/part-${index}.ts` } };
    return [
      { role: 'assistant', content: 'I look further.', toolCall },
      { role: 'tool_observation', content: takeCode(OBSERVED), toolCallId: toolCall.id },
    ];
  });
  return [task, ...history.flat()];
}

/** Of ten steps, each with one unit more; the step before them is not theirs, since everything is new to it. */
async function cpuOfNewSteps(
  stack: StackProcess,
  { url, units }: { url: string; units: number },
): Promise<number> {
  const history = newHistory(units + STEPS);
  const step = (index: number): Promise<string> =>
    postJson(url, requestOf(history.slice(0, 1 + 2 * (units + index))));
  await step(0);
  await stack.spent();
  for (let index = 1; index <= STEPS; index += 1) await step(index);
  return (await stack.spent()).cpuMs / STEPS;
}

function requestOf(history: readonly TurnInput[]): object {
  return {
    ...stepRequest(),
    user_query: '',
    conversation_history: history,
    tools: [{ name: 'read_file', inputSchema: { type: 'object', properties: { path: {} } } }],
    llm_config: {
      ...llmConfig('openai'),
      modelName: 'gpt-4.1',
      tokenLimit: 400_000,
      reservedOutputTokens: 8_000,
    },
    max_iterations_left: 20,
  };
}
