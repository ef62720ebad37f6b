import type { TurnInput } from '../../src/contract/history.js';
import type { Step } from '../../src/contract/step.js';
import { stepPath } from '../../test/support/test-service.js';
import { llmConfig, stepRequest } from '../../test/support/whole-service.js';
import { postJson } from '../measure/client.js';
import { takeCode } from './code.js';

export const STEPS = 10;
const FILES = 10;
const OBSERVED = 4_000;

export interface RunContext {
  readonly files: readonly { path: string; content: string }[];
  readonly tokenLimit: number;
}

/** Returns ten files of equal size, with code that no other run uses. */
export function newContext(kilobytes: number, tokenLimit: number): RunContext {
  const content = (): string => takeCode((kilobytes * 1_000) / FILES);
  const files = Array.from({ length: FILES }, (_, index) => ({
    path: `src/part-${index}.ts`,
    content: content(),
  }));
  return { files, tokenLimit };
}

/**
 * Sends ten step requests with the same files. Each contains the history that the previous response returned, and one
 * more observation.
 */
export async function playRun(url: string, context: RunContext): Promise<void> {
  let history: TurnInput[] = [{ role: 'user', content: 'Where is the total computed?' }];
  for (let step = 0; step < STEPS; step += 1) {
    const answer = await postJson(url + stepPath, requestOf(context, history, STEPS + 1 - step));
    const { updated_conversation_history: turns, action_details: action }: Step = JSON.parse(answer);
    const seen = context.files[step % FILES]?.content.slice(0, OBSERVED) ?? '';
    const observation = {
      role: 'tool_observation',
      content: `${step}\n${seen}`,
      toolCallId: action?.id,
    } as const;
    history = [...(turns ?? []), observation];
  }
}

function requestOf(
  { files, tokenLimit }: RunContext,
  history: readonly TurnInput[],
  iterations: number,
): object {
  return {
    ...stepRequest(),
    user_query: '',
    conversation_history: history,
    explicit_context_paths: files.map(({ path }) => path),
    inline_context: { files },
    tools: [{ name: 'read_file', inputSchema: { type: 'object', properties: { path: {} } } }],
    llm_config: { ...llmConfig('openai'), modelName: 'gpt-4.1', tokenLimit, reservedOutputTokens: 8_000 },
    max_iterations_left: iterations,
  };
}
