import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, test } from '@jest/globals';
import { openEditor, type TestEditor } from '../../support/acp-editor.js';
import { act, answer, type Bench, scripted, setUp } from '../../support/cli-harness.js';
import { isRunning } from '../../support/is-running.js';
import { rawServer } from '../../support/raw-mcp-server.js';
import { until } from '../../support/until.js';

const files = { 'a.txt': 'alpha\n', 'src/main.ts': 'export const x = 1;\n' };

const start = (bench: Bench, args: readonly string[] = scripted) => bench.start(['acp', ...args]);

async function edit(bench: Bench, args = scripted): Promise<TestEditor & { id: string }> {
  const editor = await openEditor(start(bench, args));
  const { sessionId } = await editor.open(bench.folder);
  return { ...editor, id: sessionId };
}

/** Returns the updates that belong to the conversation, without the list of slash commands. */
const conversationOf = (updates: readonly SessionUpdate[]) =>
  updates.filter(({ sessionUpdate }) => sessionUpdate !== 'available_commands_update');

describe('ACP sessions (rules: acp, saved-runs)', () => {
  test('two concurrent ACP sessions are kept separate', async () => {
    const bench = await setUp(
      ({ body }) => answer(JSON.stringify(body).includes('task A') ? 'for A' : 'for B'),
      files,
    );
    const editor = await edit(bench);
    const { sessionId } = await editor.open(bench.folder);
    await Promise.all([editor.prompt(editor.id, 'task A'), editor.prompt(sessionId, 'task B')]);
    expect(editor.text(editor.id)).toBe('for A');
    expect(editor.text(sessionId)).toBe('for B');
  });

  test('another process lists, replays and continues an ACP session', async () => {
    const bench = await setUp(
      [act('read_file(path="a.txt")', 'I look.'), answer('Alpha.'), answer('As I said.')],
      files,
    );
    const first = await edit(bench);
    await first.prompt(first.id, 'What is in a.txt?');
    first.connection.close();
    const editor = await openEditor(start(bench));
    const { sessions } = await editor.agent.request('session/list', { cwd: bench.folder });
    expect(sessions).toEqual([
      {
        sessionId: first.id,
        cwd: bench.folder,
        title: 'What is in a.txt?',
        updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    await editor.agent.request('session/load', { sessionId: first.id, cwd: bench.folder, mcpServers: [] });
    expect(editor.text(first.id, 'user_message_chunk')).toBe('What is in a.txt?');
    expect(editor.text(first.id)).toBe('Alpha.');
    expect(editor.calls(first.id)).toMatchObject([{ kind: 'read', status: 'completed' }]);
    expect(await editor.prompt(first.id, 'Sure?')).toBe('end_turn');
    for (const said of ['What is in a.txt?', 'Alpha.', 'Sure?']) expect(bench.prompt(2)).toContain(said);
    const again = await openEditor(start(bench));
    await again.agent.request('session/resume', { sessionId: first.id, cwd: bench.folder });
    expect(conversationOf(again.updates(first.id))).toEqual([]);
  });

  test('stepwise eval makes the steps of a saved ACP session again (rule: run-records)', async () => {
    const bench = await setUp([act('read_file(path="a.txt")'), answer('Alpha.')], files);
    const editor = await edit(bench);
    await editor.prompt(editor.id, 'What is in a.txt?');
    bench.provider.script([act('read_file(path="a.txt")'), answer('Alpha.')]);
    const runs = join(bench.environment['HOME'] ?? '', '.local/state/stepwise/runs');
    const { code, stdout } = await bench.run(['eval', runs, '--concurrency', '1']);
    expect(stdout).toMatch(/✓ as recorded +2 +0 +0 +0 +0/);
    expect(code).toBe(0);
  });

  test('a missing folder, unknown session, broken tool module or missing key is an ACP error', async () => {
    const bench = await setUp([], files);
    const editor = await openEditor(start(bench));
    const open = (cwd: string) => editor.open(cwd);
    await expect(open('relative')).rejects.toThrow('cwd must be an absolute path.');
    await expect(open('/nowhere/at/all')).rejects.toThrow('The folder /nowhere/at/all does not exist.');
    await expect(editor.prompt('none', 'x')).rejects.toMatchObject({
      code: -32002,
      message: 'This session is not open. Load it, or open a new one.',
    });
    await expect(
      editor.agent.request('session/load', { sessionId: '../../etc', cwd: bench.folder, mcpServers: [] }),
    ).rejects.toMatchObject({
      code: -32002,
      message: expect.stringMatching(/^No session with this id is saved for this folder\./),
    });
    const toolless = await openEditor(start(bench, ['--tools', 'nope.mjs']));
    await expect(toolless.open(bench.folder)).rejects.toThrow('The module nope.mjs cannot be loaded');
    const keyless = await openEditor(start(bench, ['--model', 'gpt-5', '--upstream', 'guarded']));
    // The code is not -32000 (auth_required): editors hide the message of that code.
    await expect(keyless.open(bench.folder)).rejects.toMatchObject({
      code: -32600,
      message: 'The model gpt-5 needs a key: set STEPWISE_LLM_KEY.',
    });
    await expect(keyless.agent.request('authenticate', { methodId: 'any' })).rejects.toMatchObject({
      code: -32601,
    });
  });

  test('an ACP session whose service cannot be reached is refused with the message of the terminal', async () => {
    const bench = await setUp([], files);
    const editor = await openEditor(start(bench, ['--server', 'http://127.0.0.1:1']));
    await expect(editor.open(bench.folder)).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^The service at http:\/\/127\.0\.0\.1:1 could not be reached/),
      data: { code: 'service_unreachable' },
    });
  });

  test('an editor can choose a model, and an unknown model is rejected', async () => {
    const bench = await setUp([], files);
    const editor = await openEditor(start(bench, []));
    const { sessionId, configOptions } = await editor.open(bench.folder);
    expect(configOptions).toMatchObject([
      { id: 'mode', category: 'mode', type: 'select', currentValue: 'ask' },
      { id: 'model', category: 'model', type: 'select', currentValue: 'offline' },
    ]);
    const set = (value: string) =>
      editor.agent.request('session/set_config_option', { sessionId, configId: 'model', value });
    await expect(set('none of them')).rejects.toThrow('Unknown model: none of them.');
    expect((await set('offline')).configOptions).toMatchObject([{}, { currentValue: 'offline' }]);
  });

  test('concurrent loads of an ACP session each replay it in full and leave one open session', async () => {
    const bench = await setUp(
      [act('read_file(path="a.txt")'), answer('Alpha.'), answer('As I said.')],
      files,
    );
    const first = await edit(bench);
    await first.prompt(first.id, 'What is in a.txt?');
    first.connection.close();
    const editor = await openEditor(start(bench));
    const log = join(bench.folder, 'servers.log');
    const mcpServers = [{ name: 'raw', ...rawServer({ startsProcess: true, log }), env: [] }];
    const load = () =>
      editor.agent.request('session/load', { sessionId: first.id, cwd: bench.folder, mcpServers });
    await Promise.all([load(), load(), load()]);
    const kinds = conversationOf(editor.updates(first.id)).map(({ sessionUpdate }) => sessionUpdate);
    const once = kinds.slice(0, kinds.length / 3);
    expect(once).toEqual([
      'user_message_chunk',
      'agent_thought_chunk',
      'tool_call',
      'agent_thought_chunk',
      'agent_message_chunk',
    ]);
    expect(kinds).toEqual([...once, ...once, ...once]);
    expect(await editor.prompt(first.id, 'Sure?')).toBe('end_turn');
    expect(editor.text(first.id).match(/As I said\./g)).toHaveLength(1);
    await editor.agent.request('session/close', { sessionId: first.id });
    await expect(editor.prompt(first.id, 'Still there?')).rejects.toMatchObject({ code: -32002 });
    const started = [...readFileSync(log, 'utf8').matchAll(/"started":(\d+)/g)].map(([, pid]) => Number(pid));
    await until(() => !started.some(isRunning));
  });

  test('loading an ACP session cancels its running prompt and replays the history up to the cancellation', async () => {
    const bench = await setUp([act('read_file(path="a.txt")'), { text: 'never', delayMs: 60_000 }], files);
    const editor = await edit(bench);
    const ending = editor.prompt(editor.id, 'What is in a.txt?');
    await bench.provider.request(1);
    await editor.agent.request('session/load', { sessionId: editor.id, cwd: bench.folder, mcpServers: [] });
    expect(await ending).toBe('cancelled');
    expect(editor.calls(editor.id)).toMatchObject([{ kind: 'read' }, { kind: 'read', status: 'completed' }]);
  });

  test('session/load can be aborted and repeated, and a session/cancel notification does not stop it', async () => {
    const bench = await setUp([answer('word '.repeat(50))], files);
    const first = await edit(bench);
    bench.provider.script(() => answer('word '.repeat(50)));
    for (let task = 0; task < 20; task++) await first.prompt(first.id, `Task ${task}`);
    first.connection.close();
    const editor = await openEditor(start(bench));
    const stop = new AbortController();
    const params = { sessionId: first.id, cwd: bench.folder, mcpServers: [] };
    const options = { cancellationSignal: stop.signal };
    const loading = editor.agent.request('session/load', params, options);
    stop.abort();
    await expect(loading).rejects.toMatchObject({ code: -32800 });
    await expect(editor.prompt(first.id, 'Still there?')).rejects.toMatchObject({ code: -32002 });
    const toldCount = () => conversationOf(editor.updates(first.id)).length;
    const told = toldCount();
    const again = editor.agent.request('session/load', params);
    await editor.until(first.id, () => toldCount() > told);
    await editor.agent.notify('session/cancel', { sessionId: first.id });
    await again;
    expect(toldCount() - told).toBe(60);
    expect(await editor.prompt(first.id, 'Sure?')).toBe('end_turn');
  });

  test('a cancelled session/resume leaves the session closed', async () => {
    const bench = await setUp([answer('One.')], files);
    const first = await edit(bench);
    await first.prompt(first.id, 'The task');
    first.connection.close();
    const editor = await openEditor(start(bench));
    const stop = new AbortController();
    const params = { sessionId: first.id, cwd: bench.folder };
    const resuming = editor.agent.request('session/resume', params, { cancellationSignal: stop.signal });
    stop.abort();
    await expect(resuming).rejects.toMatchObject({ code: -32800 });
    await expect(editor.prompt(first.id, 'Still there?')).rejects.toMatchObject({ code: -32002 });
  });

  test('tool call ids stay unique when a session continues in the same or another process', async () => {
    const calls = [{ id: 'call_of_the_vendor', name: 'read_file', arguments: { path: 'a.txt' } }];
    const read = { text: 'I look.', toolCalls: calls };
    const native = [...scripted, '--protocol', 'native'];
    const bench = await setUp([read, answer('1'), read, answer('2'), read, answer('3')], files);
    const editor = await edit(bench, native);
    await editor.prompt(editor.id, 'One');
    await editor.agent.request('session/resume', { sessionId: editor.id, cwd: bench.folder });
    await editor.prompt(editor.id, 'Two');
    const other = await openEditor(start(bench, native));
    await other.agent.request('session/resume', { sessionId: editor.id, cwd: bench.folder });
    await other.prompt(editor.id, 'Three');
    const ids = [...editor.calls(editor.id), ...other.calls(editor.id)].map(({ toolCallId }) => toolCallId);
    expect(new Set(ids).size).toBe(3);
  });

  test('ACP sessions are listed even if their folder was moved away', async () => {
    const bench = await setUp([answer('One.')], files);
    const editor = await edit(bench);
    await editor.prompt(editor.id, 'The task');
    renameSync(bench.folder, `${bench.folder}-gone`);
    const { sessions } = await editor.agent.request('session/list', {});
    renameSync(`${bench.folder}-gone`, bench.folder);
    expect(sessions).toMatchObject([{ sessionId: editor.id, title: 'The task' }]);
  });
});
