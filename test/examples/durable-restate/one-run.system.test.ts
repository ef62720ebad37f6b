import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Script } from '../../../src/offline/fake-provider.js';
import { needs } from '../../support/needs.js';
import { until } from '../../support/until.js';
import { type DurableStack, modelKey, serviceToken, startDurableStack } from './durable-stack.js';
import { dependencies, prepareExample } from './prepare-example.js';

const { describe: describeWithRestate } = needs(dependencies);

let stack: DurableStack;
let runs = 0;

/** Starts a run with a unique name and the given model replies. */
async function startRun(script: Script, task = 'Refund A-17.'): Promise<string> {
  stack.provider.script(script);
  runs += 1;
  const name = `run-${runs}`;
  expect((await stack.restate.agent(`${name}/run/send`, { task })).status).toBe(202);
  return name;
}

const statusOf = async (name: string) => (await stack.restate.agent(`${name}/status`)).body;
const reply = (name: string, body: object) => stack.restate.agent(`${name}/reply`, body);

/** Waits until calls wait for a person, and returns them. */
const waitingCalls = (name: string): Promise<unknown> =>
  until(
    () => statusOf(name),
    (status) => JSON.stringify(status).includes('"waiting"'),
  );

const refund = 'Action: refund_order(id="A-17")';
const answerOf = (text: string) => ({ text: `Final Answer: ${text}` });
const asked = () => stack.provider.requests.length;
const lastPrompt = () => stack.provider.requests.at(-1)?.rawBody;

describeWithRestate('a durable run', () => {
  beforeAll(async () => {
    await prepareExample();
    // Only one request may be in flight at a time: if a finished step still took up this limit, the next one would be
    // refused.
    stack = await startDurableStack({ MAX_IN_FLIGHT: '1', STEP_DEADLINE_MS: '10000' });
  }, 300_000);
  afterAll(() => stack.close());

  test('a durable run waits for a person and continues with the approved call', async () => {
    const name = await startRun([{ text: refund }, answerOf('Paid back.')]);
    expect(await waitingCalls(name)).toEqual({
      state: 'waiting',
      step: 1,
      waiting_for: [{ call_id: 'call_1', tool: 'refund_order', arguments: { id: 'A-17' } }],
    });
    expect((await reply(name, { call_id: 'call_1', type: 'allow' })).status).toBe(200);
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'Paid back.' });
    expect(await statusOf(name)).toEqual({ state: 'answered', answer: 'Paid back.' });
    expect(readdirSync(join(stack.folder, 'refunds'))).toEqual([`${name}-call_1.json`]);
    expect(await reply(name, { call_id: 'call_1', type: 'allow' })).toMatchObject({ status: 404 });
  });

  test('a durable run reports denials and edits to the model, and refuses replies that do not fit a waiting call', async () => {
    const name = await startRun([{ text: refund }, { text: refund }, answerOf('Done.')]);
    await waitingCalls(name);
    const misfits = [
      [{ call_id: 'call_9', type: 'allow' }, 404],
      [{ call_id: 'call_1', type: 'answer', text: 'Yes.' }, 400],
      [{ call_id: 'call_1', type: 'edit', arguments: { id: 17 } }, 400],
      [{ call_id: 'call_1', type: 'yes' }, 400],
    ] as const;
    for (const [body, status] of misfits) expect(await reply(name, body)).toMatchObject({ status });
    await reply(name, { call_id: 'call_1', type: 'deny', reason: 'Not this month.' });
    await until(() => asked() >= 2 && lastPrompt()?.includes('Not this month.'));
    await waitingCalls(name);
    await reply(name, { call_id: 'call_2', type: 'edit', arguments: { id: 'B-20' } });
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'Done.' });
    expect(lastPrompt()).toContain('Order B-20 is paid back: 12.');
    expect(lastPrompt()).toContain('The user changed the arguments');
  });

  test('the status of a durable run lists only calls that still wait for a reply', async () => {
    const toolCalls = [
      { id: 'pay_1', name: 'refund_order', arguments: { id: 'A-17' } },
      { id: 'pay_2', name: 'refund_order', arguments: { id: 'B-20' } },
    ];
    const name = await startRun([{ toolCalls }, answerOf('Both.')]);
    const [first, second] = [
      { call_id: 'pay_1', tool: 'refund_order', arguments: { id: 'A-17' } },
      { call_id: 'pay_2', tool: 'refund_order', arguments: { id: 'B-20' } },
    ];
    expect(await waitingCalls(name)).toEqual({ state: 'waiting', step: 1, waiting_for: [first, second] });
    // The run still waits for the first reply, but its status must already omit the second call.
    await reply(name, { call_id: 'pay_2', type: 'deny' });
    expect(await statusOf(name)).toEqual({ state: 'waiting', step: 1, waiting_for: [first] });
    expect(await reply(name, { call_id: 'pay_2', type: 'allow' })).toMatchObject({ status: 404 });
    await reply(name, { call_id: 'pay_1', type: 'allow' });
    expect(await statusOf(name)).not.toMatchObject({ state: 'waiting' });
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'Both.' });
  });

  test('a durable run waits for the answer to the model’s question', async () => {
    const question = 'Action: request_input(question="Which order?", choices=["A-17", "B-20"])';
    const name = await startRun([{ text: question }, answerOf('It is B-20.')]);
    expect(await waitingCalls(name)).toMatchObject({
      waiting_for: [
        { tool: 'request_input', arguments: { question: 'Which order?', choices: ['A-17', 'B-20'] } },
      ],
    });
    await reply(name, { call_id: 'call_1', type: 'answer', text: 'The one of Bo.' });
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'It is B-20.' });
    expect(lastPrompt()).toContain('The one of Bo.');
  });

  test('a durable run accepts a reply while no worker is alive and continues on the next worker', async () => {
    const name = await startRun([{ text: refund }, answerOf('Paid back.')]);
    await waitingCalls(name);
    const before = asked();
    await stack.worker.kill();
    const given = await stack.restate.agent(`${name}/reply/send`, { call_id: 'call_1', type: 'allow' });
    expect(given.status).toBe(202);
    await stack.worker.start();
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'Paid back.' });
    expect(asked() - before).toBe(1);
  });

  test('a durable run is executed once, however often its name is started', async () => {
    const name = await startRun([answerOf('Once.')]);
    const before = asked();
    await stack.restate.attach(name);
    const again = await stack.restate.agent(`${name}/run/send`, { task: 'Refund A-17.' });
    expect(again.body).toMatchObject({ status: 'PreviouslyAccepted' });
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'Once.' });
    expect(asked() - before).toBeLessThanOrEqual(1);
  });

  test('cancelling a durable run closes its model call and frees its slot (rule: caller-leaves)', async () => {
    const before = asked();
    const name = await startRun({ fault: 'silence' });
    const request = await stack.provider.request(before);
    expect((await stack.restate.agent(`${name}/cancel`)).status).toBe(200);
    expect(await stack.restate.attach(name)).toEqual({ state: 'cancelled' });
    expect(await request.ended).toBe('aborted');
    expect(await statusOf(name)).toEqual({ state: 'cancelled' });
    const next = await startRun([answerOf('There is room.')]);
    expect(await stack.restate.attach(next)).toEqual({ state: 'answered', answer: 'There is room.' });
    expect(asked() - before).toBe(2);
  });

  test('a durable run can be cancelled while it waits for a person', async () => {
    const name = await startRun([{ text: refund }]);
    await waitingCalls(name);
    await stack.restate.agent(`${name}/cancel`);
    expect(await stack.restate.attach(name)).toEqual({ state: 'cancelled' });
    expect(await stack.restate.agent('no-such-run/cancel')).toMatchObject({ status: 404 });
  });

  test('a permanent failure of a step ends the durable run with its error (rule: one-failure-body)', async () => {
    const before = asked();
    const name = await startRun({ fault: 'unauthorized' });
    expect(await stack.restate.attach(name)).toMatchObject({
      state: 'failed',
      error: { code: 'upstream_authentication_failed', retryable: false, upstream_status: 401 },
    });
    expect(asked() - before).toBe(1);
  });

  test('a durable run retries a temporary failure after the service’s retry delay (rule: retry-after)', async () => {
    const before = asked();
    const name = await startRun([{ fault: 'rate-limited', retryAfter: '2' }, answerOf('At last.')]);
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'At last.' });
    const [first, second] = stack.provider.requests.slice(before);
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThanOrEqual(2_000);
    expect(asked() - before).toBe(2);
  });

  test('a durable run makes at most three attempts of a step that the provider may bill (rule: one-deadline)', async () => {
    const before = asked();
    const name = await startRun([
      { fault: 'html' },
      { fault: 'silence' },
      { fault: 'html' },
      answerOf('Late.'),
    ]);
    expect(await stack.restate.attach(name)).toMatchObject({
      state: 'failed',
      error: { code: 'upstream_invalid_response', retryable: true },
    });
    expect(asked() - before).toBe(3);
  });

  test('a durable run can be cancelled while it waits to retry', async () => {
    const before = asked();
    const name = await startRun([{ fault: 'rate-limited', retryAfter: '3600' }]);
    await (await stack.provider.request(before)).ended;
    await stack.restate.agent(`${name}/cancel`);
    expect(await stack.restate.attach(name)).toEqual({ state: 'cancelled' });
    expect(asked() - before).toBe(1);
  });

  test('a durable run continues when the service is back', async () => {
    await stack.service.kill();
    const name = await startRun([answerOf('It is back.')]);
    await until(
      async () => await journalOf(name),
      (text) => text.includes('Command: Sleep'),
    );
    await stack.service.start();
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'It is back.' });
  });

  test('a refusal ends a durable run after one model call, and an empty reply is retried once (rule: billed-outcomes)', async () => {
    const before = asked();
    const refused = await startRun({ refusal: 'I cannot help with that.' });
    expect(await stack.restate.attach(refused)).toMatchObject({ error: { code: 'upstream_refusal' } });
    expect(asked() - before).toBe(1);
    const empty = await startRun([{ text: '' }, answerOf('Now I speak.')]);
    expect(await stack.restate.attach(empty)).toEqual({ state: 'answered', answer: 'Now I speak.' });
    expect(asked() - before).toBe(3);
  });

  test('a durable run lets the model correct an unreadable action at most twice (rule: unreadable-action)', async () => {
    const broken = { text: 'Action: refund_order(id="A-17' };
    const before = asked();
    const name = await startRun([broken, broken, broken]);
    expect(await stack.restate.attach(name)).toMatchObject({ error: { code: 'malformed_action' } });
    expect(asked() - before).toBe(3);
  });

  test('a durable run ends at its step limit with the model’s last answer (rule: last-iteration)', async () => {
    const search = { text: 'Action: search_orders(query="Ada")' };
    const before = asked();
    const name = await startRun([...Array.from({ length: 7 }, () => search), answerOf('Enough.')]);
    expect(await stack.restate.attach(name)).toEqual({ state: 'answered', answer: 'Enough.' });
    expect(asked() - before).toBe(8);
  });

  test('a durable run leaves no key in Restate’s files or tables (rule: key-redaction)', async () => {
    const canary = 'canary-4f1d7c02';
    const name = await startRun([answerOf('Found.')], `Where is ${canary}?`);
    await stack.restate.attach(name);
    expect(stack.provider.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${modelKey}`);
    // Proves that the search works: it finds a text from the task.
    expect(await placesOf(canary)).toEqual({ files: true, tables: true });
    for (const key of [modelKey, serviceToken]) {
      expect(await placesOf(key)).toEqual({ files: false, tables: false });
    }
  });
});

async function journalOf(name: string): Promise<string[]> {
  const ofRun = `target_service_key = '${name}' and target_handler_name = 'run'`;
  const entries = await stack.restate.query<{ entry_type: string }>(
    `select j.entry_type from sys_journal j join sys_invocation i on j.id = i.id where ${ofRun}`,
  );
  return entries.map(({ entry_type }) => entry_type);
}

/** Reports whether the text occurs in Restate's files and in its tables. */
async function placesOf(text: string): Promise<{ files: boolean; tables: boolean }> {
  const folder = join(stack.folder, 'restate');
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const shown = JSON.stringify(await allTables());
  const hex = Buffer.from(text).toString('hex');
  return {
    files: paths.some((path) => readFileSync(path).includes(text)),
    tables: shown.includes(text) || shown.toLowerCase().includes(hex),
  };
}

async function allTables(): Promise<unknown[]> {
  const named = "select distinct table_name from information_schema.columns where table_schema = 'public'";
  const tables = await stack.restate.query<{ table_name: string }>(named);
  expect(tables.length).toBeGreaterThan(10);
  return Promise.all(tables.map(({ table_name }) => stack.restate.query(`select * from ${table_name}`)));
}
