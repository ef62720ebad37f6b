import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Step } from '../../src/contract/step.js';
import { createReadTools } from '../../src/tools/index.js';
import { llmConfig, startWholeService, type WholeService } from '../support/whole-service.js';

type Result = 'acted' | 'answered' | 'unlabelled' | 'unreadable' | 'cut' | 'failed';

interface RecordedStep {
  readonly protocol: 'text' | 'xml' | 'json';
  readonly question: string;
  readonly result: Result;
  readonly reply: string | null;
}

/** Real replies of a model with 135 million parameters, and how the service read them (docs/trials/small-model.md). */
const recordedSteps = ['small-model', 'small-model-prose-example'].flatMap((name) => {
  const recording: Readonly<Record<'steps' | 'corrected', readonly RecordedStep[]>> = JSON.parse(
    readFileSync(`docs/trials/${name}.json`, 'utf8'),
  );
  return [...recording.steps, ...recording.corrected];
});

let service: WholeService;
let tools: object[];
beforeAll(async () => {
  service = await startWholeService();
  tools = (await createReadTools('examples/shop'))
    .filter(({ name }) => ['read_file', 'list_files', 'search_code'].includes(name))
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
});
afterAll(() => service.close());

test.each(
  recordedSteps,
)('the recorded $protocol reply to "$question" still counts as $result (rule: markers)', async (recorded) => {
  const { protocol, question, result, reply } = recorded;
  service.fake.script({ text: reply ?? '', finishReason: result === 'cut' ? 'length' : 'stop' });
  const { body } = await service.step({
    user_query: question,
    protocol,
    llm_config: llmConfig('openai'),
    tools,
  } as Parameters<WholeService['step']>[0]);
  expect(resultOf(body)).toBe(result);
});

function resultOf({ parse, status }: Step): Result {
  if (status === 'action_proposed') return 'acted';
  if (!parse) return 'failed';
  if (parse.outcome === 'truncated') return 'cut';
  if (parse.outcome !== 'answer') return 'unreadable';
  return parse.repairs.includes('unlabelled_answer') ? 'unlabelled' : 'answered';
}
