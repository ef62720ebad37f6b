import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Preview } from '../../src/contract/preview.js';
import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { blocks } from '../support/document-snippets.js';
import { patientEnvironment } from '../support/patience.js';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js';

/**
 * Sends the page's example request with the files of `examples/shop`, and compares the report and the effect of each
 * setting with the page.
 */
const page = readFileSync('docs/context-and-budget.md', 'utf8');
const [startLine = '', command = ''] = blocks(page, 'sh');
const [shownReport, pinned, focus, needed] = blocks(page, 'json').map((block) => JSON.parse(block));
const request: StepRequestInput = JSON.parse(/-d '([^']+)'/.exec(command)?.[1] ?? 'null');

let service: ServiceProcess;
beforeAll(async () => {
  const [, projects = ''] = /^PROJECTS='(.+)' npm start$/m.exec(startLine) ?? [];
  service = await startServiceProcess({
    ...patientEnvironment,
    PROJECTS: projects.replace("'$PWD'", process.cwd()),
    OFFLINE_MODEL: 'on',
  });
}, 60_000);
afterAll(() => service.stop());

async function preview(changes: Partial<StepRequestInput> = {}): Promise<Preview> {
  const response = await fetch(`${service.url}/api/agent/context_preview`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, ...changes }),
  });
  return (await response.json()) as Preview;
}

const reportOf = async (changes?: Partial<StepRequestInput>) => (await preview(changes)).context_report;
const config = (changes: Partial<StepRequestInput['llm_config']>) => ({
  llm_config: { ...request.llm_config, ...changes },
});
const statusOf = (report: Preview['context_report'], id: string) =>
  report.items.find((item) => item.id === id)?.status;

/**
 * Replaces token counts, which depend on the wording of the prompt, and the line numbers of a cut, which depend on the
 * counts.
 */
const withoutCounts = (shown: unknown): unknown =>
  JSON.parse(JSON.stringify(shown), (name, value) => {
    if (name === 'lines' && value?.includes(',')) return expect.stringMatching(/^1-\d+,\d+-\d+$/);
    return /tokens$/.test(name) && value > 0 && value % 1_000 !== 0 ? expect.any(Number) : value;
  });

test('the documented request gets the documented context report, row by row', async () => {
  const { context_report } = shownReport;
  const report = await reportOf();
  const items = report.items.filter(({ kind }) => kind !== 'turn');
  expect({ ...report, items }).toMatchObject(withoutCounts(context_report) as object);
  const sum = context_report.sections.reduce(
    (total: number, each: { tokens: number }) => total + each.tokens,
    0,
  );
  expect(sum).toBe(context_report.prompt_tokens);
});

test('the report of a step lists complete items only on request', async () => {
  const step = async (changes: object) => {
    const response = await fetch(`${service.url}/api/agent/react_step`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...request,
        llm_config: { ...request.llm_config, modelName: 'offline' },
        ...changes,
      }),
    });
    return ((await response.json()) as Step).context_report?.items.map(({ status }) => status);
  };
  expect(await step({})).not.toContain('included');
  expect(await step({ include: { report: 'full' } })).toContain('included');
});

test('a truncated file names its missing lines in the prompt as the page documents', async () => {
  const [, marker = ''] = /`(\[lines .+?\])`/.exec(page) ?? [];
  const pattern = marker.replaceAll(/[[\]().]/g, '\\$&').replaceAll(/\d+/g, '\\d+');
  const { messages } = await preview();
  expect(messages.map(({ content }) => content).join('\n')).toMatch(new RegExp(pattern));
});

const pricing = ['coupons', 'discounts', 'price-cart'].map((name) => `src/pricing/${name}.js`);

describe('the documented ways to free tokens in a prompt', () => {
  test.each([
    ['"max_iterations_left": 1', { max_iterations_left: 1 }],
    ['"contextShare": 0.9', config({ contextShare: 0.9 })],
    ['"tokenLimit": 8000', config({ tokenLimit: 8_000 })],
  ])('with %s the whole tagged folder fits into the prompt', async (dial, changes) => {
    expect(page).toContain(`\`${dial}\``);
    const report = await reportOf({ ...changes });
    expect(pricing.map((id) => statusOf(report, id))).toEqual(['included', 'included', 'included']);
  });

  test('a range of lines of a file is included unchanged', async () => {
    const [, path = ''] = /`"(src\/pricing\/discounts\.js:[\d-]+)"`/.exec(page) ?? [];
    const report = await reportOf({ explicit_context_paths: [path] });
    expect(report.items[0]).toMatchObject({ id: path, status: 'included', lines: path.split(':')[1] });
  });
});

test('a pinned note is in the prompt if it fits, and dropped if tagged files need its tokens', async () => {
  const roomy = { ...pinned, ...config({ tokenLimit: 8_000 }) };
  expect(statusOf(await reportOf(roomy), 'house-rules')).toBe('included');
  expect(JSON.stringify(await preview(roomy))).toContain('Prices are integers, in cents.');
  expect(statusOf(await reportOf(pinned), 'house-rules')).toBe('dropped');
});

test('the focus file is complete at the end of the prompt, even if tagged files were cut', async () => {
  const { messages, context_report: report } = await preview({ ...focus });
  expect(report.items.find(({ kind }) => kind === 'implicit')).toMatchObject({
    id: 'src/cart.js',
    status: 'included',
  });
  expect(report.items.map(({ status }) => status)).toContain('truncated');
  expect(messages.at(-1)?.content).toMatch(
    /<focus path="src\/cart\.js" selected="10-14"(?!.*<file ).*<\/focus \w+>\s*$/s,
  );
});

test('inline text overrides the file on disk', async () => {
  const files = [{ path: 'docs/pricing.md', content: 'Nothing is saved yet.\n' }];
  const prompt = JSON.stringify(await preview({ inline_context: { files } }));
  expect(prompt).toContain('Nothing is saved yet.');
  expect(prompt).not.toContain('# How prices');
});

describe('stability of the prompt prefix', () => {
  const history = [
    { role: 'user' as const, content: request.user_query },
    {
      role: 'assistant' as const,
      content: 'I read.',
      toolCall: { name: 'read_file', parameters: { path: 'a' }, id: 'x' },
    },
    {
      role: 'tool_observation' as const,
      content: 'Nothing.',
      toolCallId: 'x',
      toolResult: { success: true },
    },
  ];
  const next = { user_query: '', conversation_history: history };
  const hashOf = async (changes: Partial<StepRequestInput>) =>
    (await reportOf({ ...next, ...changes })).stable_prompt_sha256;
  const textOf = async (changes: Partial<StepRequestInput>) =>
    (await preview(changes)).messages.map(({ content }) => content).join('');

  test.each([
    ['another focus file', focus],
    ['a changed TODO list', { tasks: [{ id: 1, content: 'Look', status: 'todo' }] }],
    ['one iteration left', { max_iterations_left: 1 }],
  ])('a next step with %s keeps the hash of the stable prompt', async (_, changes) => {
    expect(await hashOf(changes)).toBe(await hashOf({}));
  });

  test('a question after the answer only extends the stable prompt', async () => {
    const answered = [...history, { role: 'assistant' as const, content: 'By 40 %.' }];
    const before = await textOf({ ...next });
    expect(await textOf({ user_query: 'And where?', conversation_history: answered })).toContain(
      before.trimEnd(),
    );
  });

  test.each([
    ['another path', { explicit_context_paths: ['docs/orders.md'] }],
    [
      'a file whose text has changed',
      { inline_context: { files: [{ path: 'docs/pricing.md', content: 'New.' }] } },
    ],
    ['other tools', { available_tools_prompt_segment: 'look(path) - looks' }],
    [
      'a search result',
      { vector_search_results_to_include: [{ path: 'src/cart.js', content: 'enterCoupon' }] },
    ],
    ['another tokenLimit', config({ tokenLimit: 8_000 })],
    ['another contextShare', config({ contextShare: 0.9 })],
  ])('a next step with %s changes the hash of the stable prompt', async (_, changes) => {
    expect(await hashOf(changes)).not.toBe(await hashOf({}));
  });
});

test('the same tools in another order change the stable prompt', async () => {
  const tools = ['read_file', 'list_files'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const hashes = [tools, tools.toReversed()].map(
    async (each) => (await reportOf({ tools: each })).stable_prompt_sha256,
  );
  expect(await hashes[0]).not.toBe(await hashes[1]);
});

test('if nothing fits, the error details contain the required number of tokens', async () => {
  const answer = (await preview(config({ tokenLimit: 400, reservedOutputTokens: 200 }))) as unknown as {
    error: { code: string; details: readonly object[] };
  };
  expect(answer.error.code).toBe('token_budget_exceeded');
  const message = new RegExp(`^${needed.message.replaceAll(/\d+/g, '\\d+')}$`);
  expect(answer.error.details).toEqual([{ ...needed, message: expect.stringMatching(message) }]);
  expect(
    statusOf(await reportOf(config({ tokenLimit: 700, reservedOutputTokens: 200 })), pricing[0] ?? ''),
  ).toBe('dropped');
});
