import { describe, expect, test } from '@jest/globals';
import { faultOf, type Row, tableOf } from '../../scripts/upstreams/report.js';
import { runTwoSteps } from '../../scripts/upstreams/two-steps.js';
import { startWholeService } from '../support/whole-service.js';

const route = { wire: 'chat', backend: 'chat', upstream: {}, model: 'gpt-4o' } as const;
const row = (gateway: string, changes: Partial<Row['outcome']> = {}): Row => ({
  gateway,
  way: 'chat → chat',
  protocol: 'native',
  streamed: false,
  outcome: { kept: [], lost: [], ...changes },
});

describe('the check of real gateways', () => {
  test('a gateway that drops a field of the provider state is distinguished from one that passes it on', async () => {
    const service = await startWholeService();
    const run = { route, protocol: 'native', streamed: false } as const;
    const place = { serviceUrl: service.url, provider: 'local', fake: service.fake };
    const whole = await runTwoSteps(run, place);
    expect(whole).toEqual({
      kept: ['reasoning_content', 'reasoning_details', 'thought_signature'],
      lost: [],
    });
    // A gateway that knows only the fields of Chat Completions itself.
    const strict = {
      ...service.fake,
      script: (script: unknown) => {
        if (typeof script !== 'function') throw new Error('expected a function');
        service.fake.script((request) => {
          const { reasoning: _, reasoningDetails: __, ...reply } = script(request);
          return reply;
        });
      },
    };
    const cut = await runTwoSteps(run, { ...place, fake: strict });
    expect(cut).toEqual({
      kept: ['thought_signature'],
      lost: ['reasoning_content in the reply', 'reasoning_details in the reply'],
    });
    await service.close();
  });

  test('an error of the upstream is reported as a problem with its code and status', async () => {
    const service = await startWholeService();
    const failing = { ...service.fake, script: () => service.fake.script({ fault: 'html-502' }) };
    const run = { route, protocol: 'text', streamed: true } as const;
    const place = { serviceUrl: service.url, provider: 'local', fake: failing };
    expect((await runTwoSteps(run, place)).problem).toMatch(/^upstream_error · 502/);
    await service.close();
  });

  test('a failure is attributed to the gateway only if the same run succeeds without the gateway and the upstream had failed', () => {
    const upstream = { problem: 'upstream_error · 500' };
    expect(faultOf(row('LiteLLM', upstream), [row('direct')])).toBe('gateway');
    expect(faultOf(row('LiteLLM', upstream), [row('direct', upstream)])).toBe('stepwise');
    expect(faultOf(row('LiteLLM', { problem: 'answered: {' }), [row('direct')])).toBe('stepwise');
    expect(faultOf(row('direct', { lost: ['thinking in the request'] }), [])).toBe('stepwise');
    expect(faultOf(row('LiteLLM', { lost: ['thinking in the reply'] }), [row('direct')])).toBeUndefined();
  });

  test('the table has one line for a plain and a streamed run with the same result, and two for different results', () => {
    const streamed = { ...row('LiteLLM', { problem: 'upstream_error · 500' }), streamed: true };
    const rows = [row('direct'), { ...row('direct'), streamed: true }, row('LiteLLM'), streamed];
    expect(tableOf(rows).split('\n')).toEqual([
      'gateway  APIs         protocol  form             result',
      'direct   chat → chat  native    plain, streamed  ok',
      'LiteLLM  chat → chat  native    plain            ok',
      'LiteLLM  chat → chat  native    streamed         FAILED (gateway): upstream_error · 500',
    ]);
  });
});
