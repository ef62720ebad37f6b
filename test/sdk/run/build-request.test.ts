import { describe, expect, test } from '@jest/globals';
import { done, finish, key, lookUp, lookUpCall, task } from '../../support/run-harness.js';

describe('requests of a run (rule: run-options)', () => {
  test('a run sends the task as user_query in the first request only', async () => {
    const { service } = await finish([lookUpCall('a'), done]);
    expect(service.requests.map(({ user_query }) => user_query)).toEqual([task, '']);
    expect(service.requests[1]?.conversation_history.at(-1)).toMatchObject({
      role: 'tool_observation',
      content: 'a is 42',
      toolCallId: 'call_1',
      toolResult: { success: true },
    });
  });

  test('a request has context, protocol, instructions, and the tools without their code', async () => {
    const { service } = await finish([done], {
      context: { paths: ['src'], pinned: ['p1'], inline: { files: [{ path: 'a.ts', content: 'x' }] } },
      protocol: 'xml',
      instructions: 'Be brief.',
      phaseInstructions: { reason: 'Think of the price.' },
      clientTools: [],
    });
    expect(service.requests[0]).toMatchObject({
      explicit_context_paths: ['src'],
      pinned_item_ids_to_include: ['p1'],
      inline_context: { files: [{ path: 'a.ts', content: 'x' }] },
      protocol: 'xml',
      instructions: 'Be brief.',
      phase_instructions: { reason: 'Think of the price.' },
      tools: [{ name: 'look_up', inputSchema: lookUp.inputSchema }],
    });
  });

  test('undefined options of a run have the same effect as absent ones', async () => {
    const { service } = await finish([done], {
      llmConfig: { modelName: 'scripted', tokenLimit: undefined, reservedOutputTokens: undefined },
      maxSteps: undefined,
      protocol: undefined,
      instructions: undefined,
    });
    expect(service.requests[0]).toMatchObject({
      llm_config: { tokenLimit: 32_000, reservedOutputTokens: 4_000 },
      max_iterations_left: 10,
    });
    expect(service.requests[0]?.instructions).toBeUndefined();
  });

  test('no request of a run has NUL from its task, its history, its tools and their output, or its options (rule: nul-in-histories)', async () => {
    const history = [
      { role: 'user' as const, content: 'a\0b' },
      { role: 'assistant' as const, content: 'c\0d' },
    ];
    const { service, result } = await finish([lookUpCall('x'), done], {
      history,
      tools: [{ ...lookUp, description: 'g\0h', execute: async () => 'e\0f' }],
      instructions: 'i\0j',
      context: { vectorResults: [{ path: 'k', content: 'l\0m' }] },
    });
    expect(service.requests[0]).toMatchObject({ instructions: 'i\uFFFDj' });
    expect(service.requests[1]?.conversation_history.at(-1)).toMatchObject({ content: 'e\uFFFDf' });
    expect(service.requests[0]?.conversation_history[0]).toMatchObject({ content: 'a\uFFFDb' });
    expect(JSON.stringify([service.requests, result.history])).not.toContain(String.raw`\u0000`);
  });

  test('a run sends the model key as a header, never in a body', async () => {
    const { service } = await finish([done]);
    expect(service.headers[0]?.['x-llm-api-key']).toBe(key);
    expect(JSON.stringify(service.requests)).not.toContain(key);
  });

  test('a run decrements max_iterations_left with each step', async () => {
    const { service } = await finish([lookUpCall(), lookUpCall('b'), done], { maxSteps: 5 });
    expect(service.requests.map(({ max_iterations_left }) => max_iterations_left)).toEqual([5, 4, 3]);
  });
});
