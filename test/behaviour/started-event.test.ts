import { afterEach, expect, test } from '@jest/globals';
import { readEvents } from '../support/read-events.js';
import { key, startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

let service: WholeService;
afterEach(() => service.close());

test('step.started never contains a model key of the body that was sent as X-Request-Id (rule: key-redaction)', async () => {
  service = await startWholeService({ text: 'Final Answer: 42' });
  const ownKey = 'plover.canary.0123456789.abcdef';
  for (const id of [ownKey, `run-${ownKey}`, key]) {
    const response = await fetch(`${service.url}/api/agent/react_step/stream`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Request-Id': id },
      body: JSON.stringify(stepRequest({ user_api_keys: { llmKey: id === key ? key : ownKey } })),
    });
    const text = await response.text();
    expect(text).not.toContain(ownKey);
    expect(text).not.toContain(key);
    const [started] = readEvents(text);
    expect(started).toMatchObject({
      event: 'step.started',
      data: { request_id: response.headers.get('x-request-id') },
    });
  }
});
