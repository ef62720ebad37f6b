import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { act, answer, type Bench, scripted, setUp } from '../../support/cli-harness.js';
import {
  type Json,
  methodsOf,
  type OnRequest,
  openSchemaEditor,
  promptOf,
  type SchemaEditor,
  variantsOf,
} from '../../support/schema-editor.js';

const files = { 'a.txt': 'alpha\n' };
const change = (from: string, to: string) =>
  act(`edit_file(path="a.txt", old_string="${from}", new_string="${to}")`);
const initial = { protocolVersion: 1, clientCapabilities: {} };

/** Returns a handler that answers each permission request with the next of these options. */
function choosing(...optionIds: readonly string[]): { onRequest: OnRequest; asked: Json[] } {
  const asked: Json[] = [];
  const onRequest: OnRequest = ({ params }, reply) => {
    asked.push(Object(params));
    reply({ result: { outcome: { outcome: 'selected', optionId: optionIds[asked.length - 1] } } });
  };
  return { asked, onRequest };
}

async function open(bench: Bench, onRequest?: OnRequest, args = scripted): Promise<SchemaEditor> {
  const editor = openSchemaEditor(bench.start(['acp', ...args]), onRequest);
  await editor.result('initialize', initial);
  return editor;
}

const newSession = (editor: SchemaEditor, bench: Bench): Promise<Json> =>
  editor.result('session/new', { cwd: bench.folder, mcpServers: [] });

/** Returns the current value of each setting by its id, in order. */
const valuesOf = ({ configOptions }: Json): Json =>
  Object.fromEntries((configOptions as Json[]).map((option) => [option['id'], option['currentValue']])); // cast: the editor validates messages by the schema

describe('an editor implemented only from the ACP schema (rule: acp)', () => {
  test('an ACP session sends only messages that match the schema, and another process loads it with its settings', async () => {
    const bench = await setUp(
      [
        change('alpha', 'beta'),
        answer('Changed.'),
        change('beta', 'gamma'),
        answer('Changed again.'),
        { text: 'never', delayMs: 60_000 },
        answer('Still here.'),
      ],
      files,
    );
    const { asked, onRequest } = choosing('allow');
    const editor = await open(bench, onRequest);
    const session = await newSession(editor, bench);
    const { sessionId } = session;
    expect(valuesOf(session)).toEqual({ mode: 'ask', model: 'fake: scripted' });
    expect(session['modes']).toMatchObject({ currentModeId: 'ask' });
    await editor.see('available_commands_update', '"compact"');

    expect(await editor.result('session/prompt', promptOf(sessionId, 'Change it'))).toEqual({
      stopReason: 'end_turn',
    });
    expect(asked).toHaveLength(1);
    await editor.result('session/set_mode', { sessionId, modeId: 'accept-edits' });
    await editor.result('session/prompt', promptOf(sessionId, 'Change it again'));
    expect(asked).toHaveLength(1);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('gamma\n');

    const cancelled = editor.result('session/prompt', promptOf(sessionId, 'Wait'));
    await bench.provider.request(4);
    editor.notify('session/cancel', { sessionId });
    expect(await cancelled).toEqual({ stopReason: 'cancelled' });
    const set = (configId: string, value: string) =>
      editor.result('session/set_config_option', { sessionId, configId, value });
    expect(valuesOf(await set('mode', 'ask'))).toEqual({ mode: 'ask', model: 'fake: scripted' });
    expect(valuesOf(await set('mode', 'accept-edits'))).toMatchObject({ mode: 'accept-edits' });
    expect(valuesOf(await set('model', 'offline'))).toEqual({ mode: 'accept-edits', model: 'offline' });
    expect(editor.violations).toEqual([]);

    const other = await open(bench);
    const listed = await other.result('session/list', { cwd: bench.folder });
    expect(listed).toMatchObject({ sessions: [{ sessionId, title: 'Change it' }] });
    const loaded = await other.result('session/load', { sessionId, cwd: bench.folder, mcpServers: [] });
    expect(valuesOf(loaded)).toEqual({ mode: 'accept-edits', model: 'offline' });
    expect(loaded['modes']).toMatchObject({ currentModeId: 'accept-edits' });
    expect(JSON.stringify(other.updates('user_message_chunk'))).toContain('Change it again');
    await other.result('session/set_config_option', {
      sessionId,
      configId: 'model',
      value: 'fake: scripted',
    });
    expect(await other.result('session/prompt', promptOf(sessionId, 'Are you there?'))).toEqual({
      stopReason: 'end_turn',
    });
    expect(other.text()).toContain('Still here.');
    expect(other.violations).toEqual([]);
  });

  test('both requests that change the mode send a mode update and a config option update', async () => {
    const bench = await setUp([], files);
    const editor = await open(bench);
    const { sessionId } = await newSession(editor, bench);
    const ways = [
      () => editor.result('session/set_mode', { sessionId, modeId: 'accept-edits' }),
      () => editor.result('session/set_config_option', { sessionId, configId: 'mode', value: 'ask' }),
    ];
    for (const [index, change] of ways.entries()) {
      await change();
      const mode = ['accept-edits', 'ask'][index];
      expect(editor.updates('current_mode_update').at(-1)).toMatchObject({ currentModeId: mode });
      expect(valuesOf(editor.updates('config_option_update').at(-1) ?? {})).toMatchObject({ mode });
    }
    expect(editor.violations).toEqual([]);
  });

  test('an edit can be allowed for the whole session, which changes the mode; an edit of a hidden file cannot', async () => {
    const hidden = act('write_file(path=".github/x.yml", content="x")');
    const bench = await setUp(
      [hidden, change('alpha', 'beta'), change('beta', 'gamma'), answer('Done.')],
      files,
    );
    const { asked, onRequest } = choosing('accept-edits', 'accept-edits');
    const editor = await open(bench, onRequest);
    const { sessionId } = await newSession(editor, bench);
    await editor.result('session/prompt', promptOf(sessionId, 'Change it'));
    const kinds = asked.map(({ options }) => (options as Json[]).map(({ kind }) => kind)); // cast: the editor validates messages by the schema
    expect(kinds).toEqual([
      ['allow_once', 'reject_once'],
      ['allow_once', 'allow_always', 'reject_once'],
    ]);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('gamma\n');
    expect(() => readFileSync(join(bench.folder, '.github/x.yml'))).toThrow('ENOENT');
    expect(editor.updates('current_mode_update')).toMatchObject([{ currentModeId: 'accept-edits' }]);
    expect(editor.violations).toEqual([]);
  });

  test('slash commands of a session answer without calling the model', async () => {
    const bench = await setUp([answer('One.')], files);
    const editor = await open(bench);
    const { sessionId } = await newSession(editor, bench);
    const say = async (text: string) => {
      const before = editor.updates('agent_message_chunk').length;
      expect(await editor.result('session/prompt', promptOf(sessionId, text))).toEqual({
        stopReason: 'end_turn',
      });
      return JSON.stringify(editor.updates('agent_message_chunk').slice(before));
    };
    expect(await say('/context')).toContain('No step has run yet.');
    expect(await say('/compact')).toContain('There is no history yet.');
    await say('The task');
    expect(await say('/context')).toContain('Nothing was left out.');
    expect(await say('/compact')).toContain('The history is already short');
    expect(await say('/rules')).toContain('There are no always-allow rules for this folder.');
    expect(await say('/rules remove 7')).toContain('Use /rules to list the rules');
    expect(await say('/model')).toMatch(/Model: fake: scripted.*offline/);
    expect(await say('/model none of them')).toContain('Unknown model: none of them.');
    expect(await say('/model offline')).toContain('Model: offline');
    expect(valuesOf(editor.updates('config_option_update').at(-1) ?? {})).toMatchObject({ model: 'offline' });
    const [listed] = editor.updates('available_commands_update');
    const help = await say('/help');
    for (const { name } of listed?.['availableCommands'] as Json[]) expect(help).toContain(`/${name}`); // cast: the editor validates messages by the schema
    expect(bench.provider.requests).toHaveLength(1);
    expect(editor.violations).toEqual([]);
  });

  test('a prompt that begins with a path or has an attachment is a task, not a slash command', async () => {
    const bench = await setUp([answer('A path.'), answer('A file.')], files);
    const editor = await open(bench);
    const { sessionId } = await newSession(editor, bench);
    await editor.result('session/prompt', promptOf(sessionId, '/usr/bin/env is missing'));
    const link = { type: 'resource_link', name: 'a.txt', uri: `file://${bench.folder}/a.txt` };
    const prompt = [{ type: 'text', text: '/compact ' }, link];
    await editor.result('session/prompt', { sessionId, prompt });
    expect(bench.prompt(0)).toContain('/usr/bin/env is missing');
    expect(bench.prompt(1)).toContain('/compact @a.txt');
  });

  test('every agent method of the ACP schema is answered or refused as not found', async () => {
    const bench = await setUp([], files);
    const editor = await open(bench);
    const { sessionId } = await newSession(editor, bench);
    const params = {
      ...{ sessionId, ...initial, cwd: bench.folder, mcpServers: [], methodId: 'any', modeId: 'ask' },
      ...{ configId: 'mode', value: 'ask', prompt: [{ type: 'text', text: '/help' }] },
    };
    const codes: Record<string, unknown> = {};
    for (const method of methodsOf('agent', 'Request').keys()) {
      if (method === 'session/close') continue;
      const { error } = await editor.request(method, params);
      codes[method] = error === undefined ? 'answered' : Object(error).code;
    }
    codes['session/close'] = (await editor.request('session/close', params))['error'] ?? 'answered';
    expect(codes).toEqual({
      initialize: 'answered',
      authenticate: -32601,
      logout: -32601,
      'session/new': 'answered',
      'session/load': 'answered',
      'session/list': 'answered',
      'session/delete': -32601,
      'session/resume': 'answered',
      'session/close': 'answered',
      'session/set_mode': 'answered',
      'session/set_config_option': 'answered',
      'session/prompt': 'answered',
    });
    expect(editor.violations).toEqual([]);
  });

  test('initialize advertises exactly the capabilities whose methods are answered', async () => {
    const bench = await setUp([], files);
    const editor = openSchemaEditor(bench.start(['acp', ...scripted]));
    for (const protocolVersion of [0, 1, 2, 65_535])
      expect(await editor.result('initialize', { protocolVersion })).toMatchObject({ protocolVersion: 1 });
    const { agentCapabilities, authMethods } = await editor.result('initialize', initial);
    expect(authMethods).toEqual([]);
    expect(agentCapabilities).toEqual({
      loadSession: true,
      promptCapabilities: { embeddedContext: true, image: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {} },
    });
    expect(editor.violations).toEqual([]);
  });

  test('an ACP agent refuses additional folders and unknown cursors instead of ignoring them', async () => {
    const bench = await setUp([], files);
    const editor = await open(bench);
    const more = { cwd: bench.folder, mcpServers: [], additionalDirectories: ['/tmp'] };
    const refused = { error: { code: -32602, message: expect.stringContaining('additionalDirectories') } };
    expect(await editor.request('session/new', more)).toMatchObject(refused);
    expect(await editor.request('session/load', { ...more, sessionId: 'x' })).toMatchObject(refused);
    expect(await editor.request('session/resume', { ...more, sessionId: 'x' })).toMatchObject(refused);
    await editor.result('session/new', { ...more, additionalDirectories: [] });
    expect(await editor.request('session/list', { cursor: 'next' })).toMatchObject({
      error: { code: -32602 },
    });
    expect(await editor.result('session/list', { cwd: '/nowhere/at/all' })).toEqual({ sessions: [] });
  });

  test('a session without a prompt keeps its settings when the same process loads it again', async () => {
    const bench = await setUp([], files);
    const editor = await open(bench);
    const { sessionId } = await newSession(editor, bench);
    await editor.result('session/set_mode', { sessionId, modeId: 'accept-edits' });
    const params = { sessionId, cwd: bench.folder, mcpServers: [] };
    expect(valuesOf(await editor.result('session/load', params))).toMatchObject({ mode: 'accept-edits' });
    expect(await editor.request('session/load', { ...params, cwd: '/tmp' })).toMatchObject({
      error: { code: -32002 },
    });
  });

  test('a loaded session whose model is no longer available uses the default model and reports it with the next prompt', async () => {
    const bench = await setUp([answer('One.')], files, { inProcess: true });
    const first = await open(bench);
    const { sessionId } = await newSession(first, bench);
    await first.result('session/prompt', promptOf(sessionId, 'The task'));
    bench.environment['UPSTREAMS'] = '{}';
    const other = await open(bench, undefined, []);
    const loaded = await other.result('session/load', { sessionId, cwd: bench.folder, mcpServers: [] });
    expect(valuesOf(loaded)).toMatchObject({ model: 'offline' });
    await other.result('session/prompt', promptOf(sessionId, 'alpha'));
    expect(other.text()).toMatch(/This session used fake: scripted: .* It now uses offline\./);
    expect(other.violations).toEqual([]);
  });

  test('an ACP agent sends only kinds of updates that the ACP schema defines', async () => {
    const bench = await setUp([act('read_file(path="a.txt")'), answer('Alpha.')], files);
    const editor = await open(bench);
    const { sessionId } = await newSession(editor, bench);
    await editor.result('session/prompt', promptOf(sessionId, 'What is in a.txt?'));
    const kinds = new Set(editor.updates().map(({ sessionUpdate }) => sessionUpdate));
    expect(variantsOf('SessionUpdate', 'sessionUpdate')).toEqual(expect.arrayContaining([...kinds]));
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        'available_commands_update',
        'session_info_update',
        'tool_call',
        'usage_update',
      ]),
    );
    expect(editor.updates('session_info_update').at(-1)).toMatchObject({ title: 'What is in a.txt?' });
  });
});
