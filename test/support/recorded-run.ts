import type { Turn } from '../../src/contract/history.js';
import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { type SentMessage, sentPrompt } from './sent-prompt.js';
import { until } from './until.js';
import { llmConfig, type StepAnswer, type VendorName, type WholeService } from './whole-service.js';

export interface RunShape {
  readonly vendor: VendorName;
  readonly protocol: 'text' | 'xml' | 'native';
  readonly steps: number;
  readonly tokenLimit: number;
  /** Returns the number of lines in the observation of a step. */
  readonly lines: (step: number) => number;
}

/** The prompt of a step as the provider received it, and the service's response. */
export interface RecordedStep {
  readonly stable: string;
  readonly stableTokens: number;
  readonly step: Step;
}

const code = (lines: number) =>
  Array.from({ length: lines }, (_, line) => `export const value${line} = compute(${line});`).join('\n');

const files = [
  { path: 'src/total.ts', content: code(60) },
  { path: 'src/tax.ts', content: code(40) },
];

/**
 * Repeats a step while the service answers `overloaded`. On a busy machine that happens before the provider is
 * called.
 */
const untilAccepted = (step: () => Promise<StepAnswer>): Promise<StepAnswer> =>
  until(step, ({ body }) => body.error?.code !== 'overloaded');

/**
 * Makes a run over HTTP with scripted replies, so that two runs of the same shape are equal. The caller sends the
 * whole history with each step, changes tasks and focus, and uses the services in turn.
 */
export async function recordRun(services: readonly WholeService[], shape: RunShape): Promise<RecordedStep[]> {
  const recorded: RecordedStep[] = [];
  let history: Turn[] = [];
  for (let number = 0; number < shape.steps; number += 1) {
    const service = services[number % services.length];
    if (!service) throw new Error('a run needs a service');
    service.fake.script(replyOf(shape, number));
    const before = service.fake.requests.length;
    const { body: step } = await untilAccepted(() => service.step(requestOf(shape, number, history)));
    const sent = service.fake.requests[before];
    if (!sent || !step.action_details)
      throw new Error(`step ${number} went wrong: ${JSON.stringify(step.error)}`);
    recorded.push({
      stable: withoutTail(sentPrompt(sent)),
      stableTokens: step.context_report?.stable_prefix_tokens ?? 0,
      step,
    });
    history = [
      ...(step.updated_conversation_history ?? []),
      {
        role: 'tool_observation',
        content: code(shape.lines(number)),
        toolCallId: step.action_details.id,
        toolResult: { success: true },
      },
    ];
  }
  return recorded;
}

function replyOf({ protocol }: RunShape, number: number) {
  const path = `src/${number}.ts`;
  const thought = `I look at ${number}.`;
  if (protocol === 'native')
    return { text: thought, toolCalls: [{ id: `own_${number}`, name: 'read_file', arguments: { path } }] };
  return { text: `Thought: ${thought}\nAction: read_file(path="${path}")` };
}

function requestOf(
  { vendor, protocol, tokenLimit, steps }: RunShape,
  number: number,
  history: Turn[],
): Partial<StepRequestInput> {
  return {
    user_query: number === 0 ? 'Where is the total computed?' : '',
    conversation_history: history,
    explicit_context_paths: ['src'],
    inline_context: { files },
    implicit_context: { last_focused_file_path: files[number % 2]?.path },
    tasks: [{ id: 1, content: 'find it', status: number < 3 ? 'todo' : 'completed' }],
    tools: [{ name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }],
    llm_config: { ...llmConfig(vendor), tokenLimit, reservedOutputTokens: Math.floor(tokenLimit / 8) },
    max_iterations_left: steps + 1 - number,
    protocol,
    include: { report: 'full' },
  };
}

/**
 * Returns the prompt without its tail: the part that vendors cache. In these runs the tail begins with the tasks;
 * after a native result it is a message or a block of its own.
 */
function withoutTail(messages: readonly SentMessage[]): string {
  const whole = messages.map(({ role, text }) => `\n${role}\n${text}`).join('');
  const tail = whole.lastIndexOf('<tasks legend=');
  return whole.slice(0, tail).replace(/(?:\nuser\n|,\{"type":"text","text":")$/, '');
}

/** Returns the length of the common beginning of two texts. */
export function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/**
 * Returns for each step except the first whether its prompt begins with the whole cacheable prompt of the step
 * before.
 */
export function keptSteps(run: readonly RecordedStep[]): boolean[] {
  return run.slice(1).map(({ stable }, index) => stable.startsWith(run[index]?.stable ?? '-'));
}
