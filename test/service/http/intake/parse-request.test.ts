import { expect, test } from '@jest/globals';
import { compactionRequestSchema } from '../../../../src/contract/compaction.js';
import { stepRequestSchema } from '../../../../src/contract/step-request.js';
import { RequestRefused } from '../../../../src/service/http/failure/to-failure.js';
import { parseRequest } from '../../../../src/service/http/intake/parse-request.js';
import { stepBody } from '../../../support/test-service.js';

const { signal } = new AbortController();

async function detailsOf(refused: Promise<unknown>) {
  const error = await refused.catch((thrown: unknown) => thrown);
  if (!(error instanceof RequestRefused)) throw error;
  return error.details;
}

test('parsing a request stops after 20 invalid turns (rule: loop-share)', async () => {
  const seen = new Set<number>();
  const turns = Array.from({ length: 9_999 }, (_, index) => ({
    get content() {
      seen.add(index);
      return 1;
    },
  }));
  const body = stepBody({ conversation_history: turns });
  const details = await detailsOf(parseRequest(stepRequestSchema, body, signal));
  expect(details).toHaveLength(20);
  expect(details[0]?.path).toMatch(/^conversation_history\.0\./);
  expect(seen.size).toBeGreaterThan(0);
  expect(seen.size).toBeLessThanOrEqual(20);
});

test('a long list that the schema does not know is reported as an unknown field and dropped (rule: unknown-fields)', async () => {
  const { project_id, session_id, llm_config } = stepBody();
  const body = {
    ...{ project_id, session_id, llm_config, conversation_history: [], target_tokens: 1, strategy: 'mask' },
    ...{ inline_context: { files: Array(300).fill(1) }, tools: Array(300).fill(1) },
  };
  const { request, warnings } = await parseRequest(compactionRequestSchema, body, signal);
  expect(Object.keys(request)).not.toContain('inline_context');
  expect(warnings.map(({ message }) => message)).toEqual([
    'The field inline_context is unknown and was ignored.',
    'The field tools is unknown and was ignored.',
  ]);
});

test('parsing 300 items per list gives the same result as the schema itself (rule: loop-share)', async () => {
  const many = <Item>(item: Item) => Array(300).fill(item) as Item[];
  const lists = {
    conversation_history: many({ role: 'user', content: 'a', own: 1 }),
    tools: many({ name: 'f', description: null, inputSchema: { b: 1, a: 2 } }),
    tasks: many({ id: 1, content: 'a', status: 'todo' }),
    vector_search_results_to_include: many({ path: 'a', content: 'b', score: null }),
  };
  const body = stepBody(lists);
  const { request } = await parseRequest(stepRequestSchema, body, signal);
  expect(request).toEqual(stepRequestSchema.parse(body));
});

test('parsing a long history yields to the event loop (rule: loop-share)', async () => {
  const own = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`own${index}`, 1]));
  const turns = Array.from({ length: 9_999 }, () => ({ role: 'user', content: 'a', ...own }));
  let turnsOfTheLoop = 0;
  const beat = setInterval(() => {
    turnsOfTheLoop += 1;
  }, 1);
  await parseRequest(stepRequestSchema, stepBody({ conversation_history: turns }), signal);
  clearInterval(beat);
  expect(turnsOfTheLoop).toBeGreaterThan(1);
});

test('parsing a long history rejects once the signal is aborted (rule: loop-share)', async () => {
  const turns = Array.from({ length: 9_999 }, () => ({ role: 'user', content: 'a' }));
  const left = AbortSignal.abort(new Error('left'));
  const work = parseRequest(stepRequestSchema, stepBody({ conversation_history: turns }), left);
  await expect(work).rejects.toThrow('left');
});
