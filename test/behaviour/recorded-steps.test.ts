import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { readTrajectory } from '../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../src/sdk/saved/replay-run.js';
import { scrape } from '../support/scrape.js';
import { streamStep } from '../support/stream-step.js';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import {
  key,
  startWholeService,
  stepRequest,
  uuid,
  vendors,
  type WholeService,
} from '../support/whole-service.js';

const services: WholeService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((each) => each.close()));
});

const root = temporaryFolder();
let folders = 0;
function newFolder(): string {
  folders += 1;
  const folder = join(root, `records-${folders}`);
  mkdirSync(folder);
  return folder;
}

async function startRecording(
  script: Parameters<typeof startWholeService>[0],
  environment: Record<string, string> = {},
) {
  const folder = environment['RECORD_DIR'] ?? newFolder();
  const service = await startWholeService(script, { RECORD_DIR: folder, ...environment });
  services.push(service);
  return { service, folder };
}

const runAt = (folder: string, session = uuid) =>
  readTrajectory(readFileSync(join(folder, `${session}.json`), 'utf8'));
const stepsAt = (folder: string, session = uuid) => runAt(folder, session).recordedSteps ?? [];
const recorded = (folder: string, count: number, session = uuid) =>
  until(
    () => stepsAt(folder, session),
    ({ length }) => length === count,
  );

const tools = [
  { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];

test('RECORD_DIR has each step of react_step and /v1 with request, prompt, reply and result (rule: recorded-steps)', async () => {
  const { service, folder } = await startRecording({
    text: 'Thought: I look.\nAction: read_file(path="a.ts")',
  });
  const { body } = await service.step({ tools });
  const [step] = await recorded(folder, 1);
  expect(step).toMatchObject({
    request: { user_query: 'Where is the total computed?', session_id: uuid },
    prompt: {
      system: expect.stringContaining('read_file'),
      prompt_sha256: expect.stringMatching(/^[\da-f]{64}$/),
    },
    completion_text: 'Thought: I look.\nAction: read_file(path="a.ts")',
    response: { status: 'action_proposed', action_details: body.action_details, parse: body.parse },
    parser_version: '0.1.0',
  });
  expect(step?.prompt.messages.map(({ content }) => content).join('')).toContain(
    'Where is the total computed?',
  );
  await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'local/qwen3:8b', messages: [{ role: 'user', content: 'Hello' }] }),
  }).then((answer) => answer.json());
  const isOther = (name: string) => !name.startsWith(uuid) && name.endsWith('.json');
  const other = await until(() => readdirSync(folder).find(isOther));
  const [chat] = await recorded(folder, 1, other?.replace('.json', ''));
  expect(chat?.request).toMatchObject({
    terms: { toolChoice: 'none' },
    llm_config: { modelName: 'qwen3:8b' },
  });
});

test('a streamed step, and a native call, are recorded like plain ones (rule: recorded-steps)', async () => {
  const call = { id: 'own_1', name: 'read_file', arguments: { path: 'a.ts' } };
  const { service, folder } = await startRecording({ text: 'I look.', toolCalls: [call] });
  const answer = await fetch(`${service.url}/api/agent/react_step/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(stepRequest({ tools, protocol: 'native' })),
  });
  expect(await answer.text()).toContain('step.completed');
  const [step] = await recorded(folder, 1);
  expect(step).toMatchObject({
    completion_text: 'I look.',
    completion_calls: [{ id: 'own_1', name: 'read_file', arguments: '{"path":"a.ts"}' }],
    prompt: { native_tools: [{ name: 'read_file' }] },
  });
});

test('files and pinned items that the service read are in the recorded inline context (rule: recorded-steps)', async () => {
  const project = newFolder();
  writeFiles(project, {
    'src/a.ts': 'const a = 1;\n',
    'src/b.ts': 'const b = 2;\n',
    '.stepwise/pinned/rules.md': 'Be brief.\n',
  });
  const { service, folder } = await startRecording(
    { text: 'Final Answer: here' },
    { PROJECTS: JSON.stringify({ [uuid]: project }) },
  );
  await service.step({
    explicit_context_paths: ['src', 'src/a.ts:1-1', 'inline.ts'],
    pinned_item_ids_to_include: ['rules'],
    inline_context: { files: [{ path: 'inline.ts', content: 'inline\n' }] },
  });
  const [step] = await recorded(folder, 1);
  expect(step?.request.inline_context).toEqual({
    files: [
      { path: 'inline.ts', content: 'inline\n' },
      { path: 'src/a.ts', content: 'const a = 1;\n' },
      { path: 'src/b.ts', content: 'const b = 2;\n' },
    ],
    pinned_items: [{ id: 'rules', content: 'Be brief.\n' }],
  });
});

test('no recorded file contains the key, even if the caller and the model repeat it (rule: recorded-steps)', async () => {
  const { service, folder } = await startRecording({
    text: `Thought: your key is ${key}\nAction: read_file(path="${key}")`,
  });
  const observation = `Bearer ${key} and ${Buffer.from(key).toString('base64')}`;
  await service.step({ tools, user_query: `Use ${key}.`, instructions: observation });
  await recorded(folder, 1);
  const text = readFileSync(join(folder, `${uuid}.json`), 'utf8');
  expect(text).toContain('[redacted]');
  expect(text).not.toContain(key);
  expect(text).not.toContain(key.slice(-8));
  expect(text).not.toContain(Buffer.from(key).toString('base64').slice(0, 40));
  expect(text).not.toContain('user_api_keys');
});

test('a recorded session reads as a saved run with its task, responses and history (rule: recorded-steps)', async () => {
  const { service, folder } = await startRecording([
    { text: 'Action: read_file(path="a.ts")' },
    { text: 'Final Answer: in a.ts' },
  ]);
  const { body } = await service.step({ tools });
  const observation = {
    role: 'tool_observation' as const,
    content: 'const a = 1;',
    toolCallId: body.action_details?.id,
    toolResult: { success: true },
  };
  await service.step({
    tools,
    user_query: '',
    conversation_history: [...(body.updated_conversation_history ?? []), observation],
    max_iterations_left: 4,
  });
  await recorded(folder, 2);
  const run = runAt(folder);
  expect(run).toMatchObject({
    task: 'Where is the total computed?',
    options: { maxSteps: 5, llmConfig: { modelName: vendors.openai } },
    observations: [{ content: 'const a = 1;' }],
  });
  expect(run.history.at(-1)?.content).toBe('in a.ts');
  expect((await replayRun(run).result()).answer).toBe('in a.ts');
});

test('concurrent steps of one session are all recorded (rule: recorded-steps)', async () => {
  const { service, folder } = await startRecording({ text: 'Final Answer: here' });
  await Promise.all(Array.from({ length: 12 }, () => service.step()));
  expect(await recorded(folder, 12)).toHaveLength(12);
  expect(statSync(join(folder, `${uuid}.json`)).mode & 0o777).toBe(0o600);
});

test('a restarted service adds to the runs in the folder, and closing the service writes pending steps (rule: recorded-steps)', async () => {
  const { service, folder } = await startRecording({ text: 'Final Answer: here' });
  await service.step();
  await service.close();
  services.length = 0;
  expect(stepsAt(folder)).toHaveLength(1);
  const { service: next } = await startRecording({ text: 'Final Answer: there' }, { RECORD_DIR: folder });
  await next.step();
  expect((await recorded(folder, 2)).map(({ completion_text: text }) => text)).toEqual([
    'Final Answer: here',
    'Final Answer: there',
  ]);
});

test.each([
  ['half-written', '{"format":"stepwise-run","version":1,"recorded_steps":[\n{"requ'],
  ['empty', ''],
  ['foreign', '{"mine": true}\n'],
])('an unreadable file (%s) at the path of the session is moved away, and the step is recorded (rule: recorded-steps)', async (_kind, content) => {
  const folder = newFolder();
  writeFileSync(join(folder, `${uuid}.json`), content);
  const { service } = await startRecording({ text: 'Final Answer: here' }, { RECORD_DIR: folder });
  expect((await service.step()).status).toBe(200);
  await recorded(folder, 1);
  expect(readFileSync(join(folder, `${uuid}.json.unreadable`), 'utf8')).toBe(content);
});

test('the oldest runs are deleted so that all runs together stay within RECORD_MAX_BYTES; other files stay (rule: recorded-steps)', async () => {
  const folder = newFolder();
  const ids = ['1', '2', '3'].map((digit) => uuid.replace(/^./, digit));
  for (const [index, id] of ids.entries()) {
    writeFileSync(join(folder, `${id}.json`), 'x'.repeat(400_000));
    utimesSync(join(folder, `${id}.json`), new Date(), new Date(Date.now() - 1_000 * (3 - index)));
  }
  writeFileSync(join(folder, 'notes.txt'), 'x'.repeat(2_000_000));
  const { service } = await startRecording(
    { text: 'Final Answer: here' },
    { RECORD_DIR: folder, RECORD_MAX_BYTES: '1048576' },
  );
  await service.step();
  await recorded(folder, 1);
  expect(readdirSync(folder).sort()).toEqual(
    [`${uuid}.json`, `${ids[1]}.json`, `${ids[2]}.json`, 'notes.txt'].sort(),
  );
});

test('a start deletes old temporary files that a killed service left, and no other files (rule: recorded-steps)', async () => {
  const folder = newFolder();
  const left = [`${uuid}.json.4711.tmp`, `${uuid}.json.${randomUUID()}.tmp`];
  const others = [`${uuid}.json.${randomUUID()}.tmp`, 'notes.tmp'];
  for (const name of [...left, ...others]) writeFileSync(join(folder, name), '');
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of [...left, 'notes.tmp']) utimesSync(join(folder, name), longAgo, longAgo);
  await startRecording({ text: 'Final Answer: 42.' }, { RECORD_DIR: folder });
  await until(
    () => readdirSync(folder).length,
    (count) => count === others.length,
  );
  expect(readdirSync(folder).sort()).toEqual(others.sort());
});

test('a step that alone exceeds RECORD_MAX_BYTES succeeds and is not recorded (rule: recorded-steps)', async () => {
  const { service, folder } = await startRecording(
    { text: 'Final Answer: here' },
    { RECORD_MAX_BYTES: '1048576' },
  );
  const content = 'word '.repeat(300_000);
  const answer = await service.step({ inline_context: { files: [{ path: 'a.md', content }] } });
  expect(answer.status).toBe(200);
  await until(() => service.log.join('').includes('larger than its maximum size'));
  expect(readdirSync(folder)).toEqual([]);
});

test('a folder that can no longer be written fails no step and is logged once (rule: recorded-steps)', async () => {
  const { service, folder } = await startRecording({ text: 'Final Answer: here' });
  // A folder in place of the file makes every write fail, even for root, like a full disk.
  mkdirSync(join(folder, `${uuid}.json`));
  for (let step = 0; step < 3; step += 1) expect((await service.step()).body.direct_response).toBe('here');
  const warnings = () => service.log.filter((line) => line.includes('steps cannot be recorded'));
  await until(() => warnings().length === 1);
  await service.close();
  services.length = 0;
  expect(warnings()).toHaveLength(1);
});

test('include.record returns the record that RECORD_DIR would have, plain and streamed; without it there is none (rule: returned-records)', async () => {
  const { service, folder } = await startRecording({ text: 'Final Answer: here' });
  const plain = await service.step({ include: { record: true } });
  const streamed = await streamStep(service, { include: { record: true, history: false } });
  expect([plain.body.recorded_step, streamed.step.recorded_step]).toEqual(await recorded(folder, 2));
  expect((await service.step()).body.recorded_step).toBeNull();
  const own = await startWholeService({ text: 'Final Answer: here' });
  services.push(own);
  expect((await own.step({ include: { record: true } })).body.recorded_step).toMatchObject({
    prompt: { system: expect.any(String) },
    completion_text: 'Final Answer: here',
  });
});

test('the files of a step that returns its record count as bytes in flight while it waits (rule: lean-waiting)', async () => {
  const project = newFolder();
  writeFiles(project, { 'big.txt': 'word '.repeat(200_000) });
  const inFlight: number[] = [];
  for (const record of [false, true]) {
    const service = await startWholeService(
      { text: '', delayMs: 60_000 },
      { PROJECTS: JSON.stringify({ [uuid]: project }) },
    );
    services.push(service);
    void service.step({ explicit_context_paths: ['big.txt'], include: { record } }).catch(() => {});
    await service.fake.request(0);
    inFlight.push((await scrape(service.url)).sum('stepwise_bytes_in_flight', {}));
  }
  const [without = 0, withRecord = 0] = inFlight;
  expect(withRecord - without).toBeGreaterThan(200_000);
});

test('a response has no record if the step failed, or without extensions (rule: returned-records)', async () => {
  const { service } = await startRecording({ fault: 'html-502' });
  const include = { record: true };
  expect((await service.step({ max_iterations_left: 0, include })).body.recorded_step).toBeNull();
  const failed = await service.step({ include });
  expect([failed.status, failed.body.recorded_step]).toEqual([502, null]);
  service.fake.script({ text: 'Final Answer: here' });
  const reduced = await service.step({ include: { ...include, extensions: false } });
  expect([reduced.status, 'recorded_step' in reduced.body]).toEqual([200, false]);
});

test('no returned record contains the key, even if the caller and the model repeat it (rule: returned-records)', async () => {
  const { service } = await startRecording({
    text: `Thought: your key is ${key}\nAction: read_file(path="${key}")`,
  });
  const instructions = `Bearer ${key} and ${Buffer.from(key).toString('base64')}`;
  const asked = { tools, user_query: `Use ${key}.`, instructions, include: { record: true } };
  const plain = await service.step(asked);
  const { step } = await streamStep(service, asked);
  for (const text of [plain.body, step].map((each) => JSON.stringify(each.recorded_step))) {
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(key);
    expect(text).not.toContain(key.slice(-8));
    expect(text).not.toContain(Buffer.from(key).toString('base64').slice(0, 40));
    expect(text).not.toContain('user_api_keys');
  }
});

test('a RECORD_DIR that does not exist or cannot be written prevents the start (rule: recorded-steps)', async () => {
  const missing = join(root, 'missing');
  await expect(startWholeService({ text: 'x' }, { RECORD_DIR: missing })).rejects.toThrow(
    'RECORD_DIR: expected the path of a folder that this service can write to',
  );
  if (process.getuid?.() === 0) return;
  const locked = newFolder();
  chmodSync(locked, 0o500);
  await expect(startWholeService({ text: 'x' }, { RECORD_DIR: locked })).rejects.toThrow('RECORD_DIR');
});
