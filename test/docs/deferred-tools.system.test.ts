import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from '@jest/globals';
import { startLocalService } from '../../src/cli/session/local-service.js';
import type { TurnInput } from '../../src/contract/history.js';
import type { ToolDefinitionInput } from '../../src/contract/tool.js';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import { blocks, copyFiles } from '../support/document-snippets.js';
import { program } from '../support/need.js';
import { needs } from '../support/needs.js';
import { stepRequest } from '../support/step-request.js';

/** Runs the search that the page documents for clients without the SDK. */
const page = readFileSync('docs/reference/deferred-tools.md', 'utf8');
const set: {
  tools: readonly ToolDefinitionInput[];
  questions: readonly { query: string; expected: readonly string[] }[];
} = JSON.parse(readFileSync('test/sdk/actions/tool-search-set.json', 'utf8'));
const tools = set.tools.map((tool) => ({ ...tool, defer: true }));

const { test } = needs(program('python3'));

const answerAll =
  'import json, sys, find_tools\nasked = json.load(sys.stdin)\nprint(json.dumps([find_tools.find_tools(call, asked["tools"]) for call in asked["calls"]]))';

/** Answers calls of `find_tools` with the code of the page. */
function answerInPython(calls: readonly unknown[]): readonly TurnInput[] {
  const fileAt = copyFiles(page, 'deferred-tools', {});
  const { stdout, stderr } = spawnSync('python3', ['-c', answerAll], {
    cwd: dirname(fileAt('find_tools.py')),
    input: JSON.stringify({ calls, tools }),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('the 20-line search in the docs finds the right tools as often as the docs state', () => {
  const [code = ''] = blocks(page, 'python');
  expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(20);
  const documented = Number(/for (\d+) % of 200 questions/.exec(page)?.[1]);
  const calls = set.questions.map(({ query }, index) => ({ id: `call_${index}`, tool_args: { query } }));
  const hits = answerInPython(calls).filter(({ tool_definitions: found }, index) =>
    set.questions[index]?.expected.some((name) => found?.some((each) => each.name === name)),
  );
  expect(documented).toBeGreaterThanOrEqual(90);
  expect(Math.round((100 * hits.length) / calls.length)).toBe(documented);
});

test('the service accepts the observation of the documented search, and the tool can then be called', async () => {
  const provider: FakeProvider = await startFakeProvider();
  const service = await startLocalService({
    UPSTREAMS: JSON.stringify({ fake: { url: `${provider.url}/v1`, keyRequired: false } }),
  });
  try {
    const client = new StepwiseClient({ baseUrl: service.url });
    provider.script([
      { text: 'Thought: I look.\nAction: find_tools(query="open a GitHub issue")' },
      {
        text: 'Thought: Now.\nAction: github__create_issue(owner="a", repo="b", title="Wrong total")',
      },
    ]);
    const request = stepRequest({
      user_query: 'Report the bug.',
      tools,
      llm_config: {
        modelName: 'scripted',
        provider: 'fake',
        tokenLimit: 16_000,
        reservedOutputTokens: 1_000,
      },
    });
    const first = await client.step(request);
    const observations = answerInPython([first.action_details]);
    const second = await client.step({
      ...request,
      user_query: '',
      conversation_history: [...(first.updated_conversation_history ?? []), ...observations],
    });
    expect(second).toMatchObject({
      status: 'action_proposed',
      action_details: { tool_name: 'github__create_issue', tool_args: { title: 'Wrong total' } },
      parse: { problem: null },
      warnings: [],
    });
  } finally {
    await Promise.all([service.close(), provider.close()]);
  }
}, 60_000);
