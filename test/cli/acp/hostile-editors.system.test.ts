import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { act, answer, type Bench, ended, scripted, setUp } from '../../support/cli-harness.js';
import { type Json, type OnRequest, openSchemaEditor, promptOf } from '../../support/schema-editor.js';
import { until } from '../../support/until.js';

const files = { 'a.txt': 'alpha\n' };
const change = act('edit_file(path="a.txt", old_string="alpha", new_string="beta")');
const selected = (optionId: string) => ({ result: { outcome: { outcome: 'selected', optionId } } });

async function edit(bench: Bench, onRequest?: OnRequest) {
  const child = bench.start(['acp', ...scripted]);
  const editor = openSchemaEditor(child, onRequest);
  await editor.result('initialize', { protocolVersion: 1 });
  const { sessionId } = await editor.result('session/new', { cwd: bench.folder, mcpServers: [] });
  const prompt = (text: string) => editor.request('session/prompt', promptOf(sessionId, text));
  return { ...editor, child, sessionId, prompt };
}

const stopped = (stopReason: string) => ({ result: { stopReason } });
const refused = (code: number, message: string) => ({
  error: { code, message: expect.stringContaining(message) },
});

describe('sloppy and hostile editors (rule: acp)', () => {
  test('of two prompts sent at once, the first runs and the second is refused', async () => {
    const bench = await setUp([{ ...answer('One.'), delayMs: 300 }, answer('Two.')], files);
    const editor = await edit(bench);
    const both = await Promise.all([editor.prompt('First'), editor.prompt('Second')]);
    expect(both).toMatchObject([stopped('end_turn'), refused(-32600, 'already running a prompt')]);
    expect(await editor.prompt('Third')).toMatchObject(stopped('end_turn'));
    expect(bench.prompt(1)).not.toContain('Second');
  });

  test('a cancellation before or after a prompt does not affect the next prompt', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')], files);
    const editor = await edit(bench);
    const cancel = () => editor.notify('session/cancel', { sessionId: editor.sessionId });
    cancel();
    expect(await editor.prompt('First')).toMatchObject(stopped('end_turn'));
    cancel();
    cancel();
    expect(await editor.prompt('Second')).toMatchObject(stopped('end_turn'));
    editor.notify('session/cancel', { sessionId: 'unknown' });
    editor.notify('session/cancel', {});
    expect(await editor.prompt('/help')).toMatchObject(stopped('end_turn'));
  });

  test('a cancellation sent immediately after a prompt cancels that prompt', async () => {
    const bench = await setUp([{ text: 'never', delayMs: 60_000 }], files);
    const editor = await edit(bench);
    const { sessionId } = editor;
    const prompt = editor.prompt('First');
    editor.notify('session/cancel', { sessionId });
    expect(await prompt).toMatchObject(stopped('cancelled'));
  });

  test.each([
    ['allow', 'reject', 'beta\n'],
    ['reject', 'allow', 'alpha\n'],
  ])('the first of two answers to a permission request decides: %s before %s', async (first, second, text) => {
    const bench = await setUp([change, answer('Done.')], files);
    const editor = await edit(bench, (_, reply) => [first, second].map(selected).forEach(reply));
    expect(await editor.prompt('Change it')).toMatchObject(stopped('end_turn'));
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe(text);
  });

  test.each([
    ['a null result', { result: null }],
    ['a result without an outcome', { result: {} }],
    ['a text', { result: 'allow' }],
    ['an option in a list', { result: { outcome: { outcome: 'selected', optionId: ['allow'] } } }],
    ['an option named like a property of every object', selected('__proto__')],
    ['an option that was not offered', selected('always-0')],
  ])('a permission request answered with %s changes nothing', async (_, reply) => {
    const bench = await setUp([act('write_file(path=".github/x.yml", content="x")'), answer('No.')], files);
    const editor = await edit(bench, (_message, answerWith) => answerWith(reply));
    expect(await editor.prompt('Write it')).toMatchObject(stopped('end_turn'));
    expect(existsSync(join(bench.folder, '.github/x.yml'))).toBe(false);
  });

  test('the option "accept-edits" is ignored if the permission request did not offer it', async () => {
    const bench = await setUp([act('write_file(path=".github/x.yml", content="x")'), answer('No.')], files);
    const editor = await edit(bench, (_, reply) => reply(selected('accept-edits')));
    await editor.prompt('Write it');
    expect(existsSync(join(bench.folder, '.github/x.yml'))).toBe(false);
    expect(editor.updates('current_mode_update')).toEqual([]);
  });

  test('an ACP agent refuses unknown modes, models and settings with an error message and keeps its settings', async () => {
    const bench = await setUp([], files);
    const { sessionId, request, result, updates } = await edit(bench);
    const set = (configId: string, value: unknown, more: Json = {}) =>
      request('session/set_config_option', { sessionId, configId, value, ...more });
    expect(await set('mode', 'yolo')).toMatchObject(refused(-32602, 'Unknown mode: yolo.'));
    expect(await set('mode', '__proto__')).toMatchObject(refused(-32602, 'Unknown mode'));
    expect(await set('model', 'gpt-\u0000\u202e')).toMatchObject(refused(-32602, 'Unknown model: gpt-��'));
    expect(await set('thought_level', 'high')).toMatchObject(
      refused(-32602, 'Unknown option: thought_level'),
    );
    expect(await set('mode', true, { type: 'boolean' })).toMatchObject(refused(-32602, 'must be a text'));
    expect(await set('mode', 7)).toMatchObject(refused(-32602, 'Invalid params'));
    expect(await request('session/set_mode', { sessionId, modeId: 'yolo' })).toMatchObject(
      refused(-32602, 'Unknown mode: yolo.'),
    );
    expect(await request('session/set_mode', { sessionId: 'x', modeId: 'ask' })).toMatchObject({
      error: { code: -32002 },
    });
    expect(updates('current_mode_update')).toEqual([]);
    const { configOptions } = await result('session/set_config_option', {
      ...{ sessionId, configId: 'mode', value: 'ask' },
    });
    expect(configOptions).toMatchObject([{ currentValue: 'ask' }, { currentValue: 'fake: scripted' }]);
  });

  test('of several overlapping changes of the model, the last one applies, even to a prompt sent before they are answered', async () => {
    const bench = await setUp([answer('Scripted.')], files);
    const { sessionId, request, prompt, text } = await edit(bench);
    const names = ['offline', 'fake: scripted', 'offline', 'fake: scripted'];
    const changes = names.map((value) =>
      request('session/set_config_option', { sessionId, configId: 'model', value }),
    );
    expect(await prompt('Which model are you?')).toMatchObject(stopped('end_turn'));
    expect(text()).toBe('Scripted.');
    const values = (await Promise.all(changes)).at(-1);
    expect(values).toMatchObject({ result: { configOptions: [{}, { currentValue: 'fake: scripted' }] } });
  });

  test('a prompt of a megabyte is refused with an error, and the next prompt is answered', async () => {
    const bench = await setUp([answer('Short.')], files);
    const editor = await edit(bench);
    for (const length of [1_000_000, 6_000_000])
      expect(await editor.prompt('word '.repeat(length / 5))).toMatchObject({ error: { code: -32603 } });
    expect(await editor.prompt('Well?')).toMatchObject(stopped('end_turn'));
    expect(bench.provider.requests).toHaveLength(1);
    expect(editor.violations).toEqual([]);
  });

  test('a prompt that is refused because of its image does not stay in the conversation', async () => {
    const bench = await setUp([answer('Short.')], files);
    const editor = await edit(bench);
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgoA'.repeat(500_000) };
    const { sessionId } = editor;
    const prompt = [{ type: 'text', text: 'Describe this' }, image];
    expect(await editor.request('session/prompt', { sessionId, prompt })).toMatchObject({
      error: {
        message: expect.stringContaining('attach fewer or smaller files'),
        data: { code: 'request_too_large' },
      },
    });
    expect(await editor.prompt('Well?')).toMatchObject(stopped('end_turn'));
    expect(bench.prompt(0)).not.toContain('Describe this');
  });

  test('a message too long for the protocol library ends the ACP process with an error message', async () => {
    const bench = await setUp([], files);
    const child = bench.start(['acp', ...scripted]);
    child.stdin.on('error', () => undefined); // the process closes the pipe
    const { code, stderr } = await ended(child, 'x'.repeat(33 * 1024 * 1024));
    expect(code).toBe(1);
    expect(stderr).toContain('The editor sent a message that is too long.');
  });

  test('an ACP agent answers unknown requests and ignores unknown notifications and responses', async () => {
    const bench = await setUp([], files);
    const { request, notify, write, received, result } = await edit(bench);
    for (const method of ['session/fork', '_vendor/method', '', 'constructor'])
      expect(await request(method, {})).toMatchObject({ error: { code: -32601 } });
    const before = received.length;
    notify('_vendor/note', { x: 1 });
    notify('session/nope', null);
    write('{"jsonrpc":"2.0","id":77,"result":{}}');
    write('{"jsonrpc":"2.0","id":"nobody","error":{"code":1,"message":"x"}}');
    await result('session/list', {});
    expect(received.slice(before).filter(({ method }) => method === undefined)).toHaveLength(1);
  });

  test('an editor that dies during a command leaves no process behind, and the run is saved', async () => {
    const bench = await setUp([act('run_command(command="touch began; sleep 60; touch ended")')], files);
    const editor = await edit(bench, (_, reply) => reply(selected('allow')));
    void editor.prompt('Go');
    await until(() => existsSync(join(bench.folder, 'began')));
    editor.child.stdin.destroy();
    editor.child.stdout.destroy();
    editor.child.stderr.destroy();
    expect(await once(editor.child, 'exit')).toEqual([0, null]);
    const next = await edit(bench);
    expect(await next.result('session/list', { cwd: bench.folder })).toMatchObject({
      sessions: [{ sessionId: editor.sessionId, title: 'Go' }],
    });
  });
});
