import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { streamStep } from '../support/stream-step.js';
import {
  llmConfig,
  startWholeService,
  type VendorName,
  vendors,
  type WholeService,
} from '../support/whole-service.js';

const MIB = 2 ** 20;
// Long words, since the fake provider streams each word by itself.
const longProse = `${'andsoon'.repeat(100)} `.repeat(MIB / 700);
const tools = [
  { name: 'write_file', inputSchema: { type: 'object', properties: { path: {}, content: {} } } },
];

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

// Cast: `vendors` has no other keys, but `Object.keys` returns strings.
const ways = (Object.keys(vendors) as VendorName[]).flatMap((vendor) =>
  [false, true].map((streamed) => ({ vendor, streamed })),
);

describe.each(ways)('a reply of more than 1 MiB from $vendor, streamed: $streamed (rule: reply-cap)', ({
  vendor,
  streamed,
}) => {
  const stepAfter = async (reply: ScriptedCompletion, changes = {}) => {
    service.fake.script(reply);
    const request = { tools, llm_config: llmConfig(vendor), ...changes };
    return streamed ? (await streamStep(service, request)).step : (await service.step(request)).body;
  };

  test('an answer over 1 MiB is cut and returned with the warning answer_truncated', async () => {
    const step = await stepAfter({ text: `Final Answer: ${`${'word'.repeat(1_000)} `.repeat(300)}` });
    expect(step).toMatchObject({
      status: 'direct_response_provided',
      finish_reason: 'length',
      error: null,
      warnings: expect.arrayContaining([
        expect.objectContaining({ code: 'reply_too_long' }),
        expect.objectContaining({ code: 'answer_truncated' }),
      ]),
    });
    expect(`Final Answer: ${step.direct_response}`.length).toBeGreaterThan(MIB - 10);
  });

  test('an action that was cut at the maximum length of a reply is not proposed', async () => {
    const step = await stepAfter({ text: `Action: write_file(path="a", content="${'x'.repeat(MIB)}")` });
    expect(step).toMatchObject({
      status: 'error',
      finish_reason: 'length',
      action_details: null,
      error: { code: 'output_truncated' },
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'reply_too_long' })]),
    });
  });

  test('a complete action in a reply that was cut at its maximum length is not proposed', async () => {
    const step = await stepAfter({ text: `Action: write_file(path="a")\n${longProse}` });
    expect(step).toMatchObject({
      status: 'error',
      action_details: null,
      error: { code: 'output_truncated' },
    });
  });

  test('native calls of a reply that was cut at its maximum length are returned as partial text', async () => {
    const whole = { name: 'write_file', arguments: { path: 'a' } };
    const call = { name: 'write_file', arguments: { path: 'b', content: 'x'.repeat(MIB) } };
    const step = await stepAfter({ toolCalls: [whole, call] }, { protocol: 'native' });
    expect(step).toMatchObject({
      status: 'error',
      action_details: null,
      error: { code: 'output_truncated' },
    });
    expect(step.error?.partial_text).toMatch(/^write_file\(\{"path":"a"\}\)\nwrite_file\(\{"path":"b"/);
  });

  test.each([
    'reason',
    'observe',
  ] as const)('a reply over 1 MiB completes the phase %s, which reads an action as prose (rule: phases)', async (phase) => {
    const text = `Action: write_file(path="a")\n${longProse}`;
    const step = await stepAfter({ text }, { phase });
    expect(step).toMatchObject({ status: 'phase_completed', action_details: null, error: null });
  });

  test('a native call that was cut at the maximum length of a reply is not proposed', async () => {
    const call = { name: 'write_file', arguments: { path: 'a', content: 'x'.repeat(MIB) } };
    const step = await stepAfter({ toolCalls: [call] }, { protocol: 'native' });
    expect(step).toMatchObject({
      status: 'error',
      action_details: null,
      error: { code: 'output_truncated' },
    });
  });
});
