import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Turn } from '../../../src/contract/history.js';
import { readEvents } from '../../support/read-events.js';
import { startWholeService, stepRequest, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ text: 'Final Answer: done' });
});
afterAll(() => service.close());

/** A history of about 1.6 MB with all kinds of JSON values and with fields unknown to the schema. */
const history: Turn[] = Array.from({ length: 2_000 }, (_, index): Turn => {
  if (index % 2 === 0) return { role: 'user', content: `${index} "quoted" \u2028 \\ 😀 ${'x'.repeat(800)}` };
  const extra = { seen: [1.5, null, true, { nested: [[], {}, ''] }], __proto__x: {} };
  return { role: 'assistant', content: `${index}`, ...extra };
});
const body = JSON.stringify(
  stepRequest({ user_query: '', conversation_history: [...history, ...history.slice(0, 1)] }),
);

describe('large responses contain the same JSON as sent (rule: loop-share)', () => {
  test('a large step response returns the history as sent', async () => {
    const response = await fetch(`${service.url}/api/agent/react_step`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const step: unknown = await response.json();
    expect(response.status).toBe(200);
    expect(step).toMatchObject({
      status: 'direct_response_provided',
      direct_response: 'done',
      error: null,
      updated_conversation_history: [...history, history[0], { role: 'assistant', content: 'done' }],
    });
  });

  test('a long text of surrogate pairs is returned unchanged', async () => {
    const user_query = `x${'😀'.repeat(150_000)}`;
    const response = await fetch(`${service.url}/api/agent/react_step`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(
        stepRequest({ user_query, llm_config: { ...stepRequest().llm_config, tokenLimit: 1_000_000 } }),
      ),
    });
    expect(await response.json()).toMatchObject({
      updated_conversation_history: [{ role: 'user', content: user_query }, { content: 'done' }],
    });
  });

  test('the last event of a stream contains a large step', async () => {
    const response = await fetch(`${service.url}/api/agent/react_step/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const last = readEvents(await response.text()).at(-1);
    expect(last).toMatchObject({ event: 'step.completed', data: { type: 'step.completed' } });
    expect(JSON.stringify(last)).toContain('"direct_response":"done"');
  });

  test('an error response returns a large history as sent', async () => {
    const changed = { ...JSON.parse(body), user_api_keys: {} };
    const response = await fetch(`${service.url}/api/agent/react_step`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(changed),
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ updated_conversation_history: [...history, history[0]] });
  });
});
