import { expect, test } from '@jest/globals';
import { shortenTools } from '../../../../src/service/step/budget/shorten-tools.js';
import { scaleOf } from '../../../../src/service/step/prompt/weigh-messages.js';
import { readSituation } from '../../../../src/service/step/read-situation.js';
import { createTokenCounter } from '../../../../src/tokens/token-counter.js';
import { profile } from '../../../support/prepare.js';
import { stepRequest } from '../../../support/step-request.js';

test('tools that no signature would make shorter stay as they are (rule: compatible-tools)', async () => {
  const tools = [{ name: 'ping', inputSchema: { type: 'object', properties: {} } }];
  const request = { ...stepRequest({ tools }), terms: { toolChoice: 'auto' } } as const;
  const situation = await readSituation(request, profile);
  const deadline = { signal: new AbortController().signal, remainingMs: () => 60_000 };
  const scale = scaleOf({ tokens: createTokenCounter('o200k_base'), profile, deadline }, 'text');
  const fixed = { instructions: 0, example: 0, tools: 100_000, framing: 0, minTailTokens: 0 };
  expect(await shortenTools(situation, fixed, scale)).toBeUndefined();
});
