import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Recording } from '../../scripts/trial/report.js';
import { resultOf } from '../../scripts/trial/tried-step.js';
import { createReadTools } from '../../src/tools/index.js';
import { llmConfig, startWholeService, type WholeService } from '../support/whole-service.js';

/**
 * Replies of a small model and how the service read them, recorded by `npm run trial:model` with the current and earlier
 * instructions.
 */
const recorded = ['small-model', 'small-model-told-in-prose'].flatMap((name) => {
  const recording: Recording = JSON.parse(readFileSync(`docs/trials/${name}.json`, 'utf8'));
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
  recorded,
)('the recorded reply to "$question" in $protocol is read as recorded: $result (rule: markers)', async (each) => {
  service.fake.script({ text: each.reply ?? '', finishReason: each.result === 'cut' ? 'length' : 'stop' });
  const { body } = await service.step({
    user_query: each.question,
    protocol: each.protocol,
    llm_config: llmConfig('openai'),
    tools,
  } as Parameters<WholeService['step']>[0]);
  expect(resultOf(body)).toBe(each.result);
});
