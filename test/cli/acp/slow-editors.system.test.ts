import { once } from 'node:events';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { describe, expect, test } from '@jest/globals';
import { type EditorBehaviour, openEditor } from '../../support/acp-editor.js';
import { act, answer, type Bench, scripted, setUp } from '../../support/cli-harness.js';
import { rawServer } from '../../support/raw-mcp-server.js';
import { until } from '../../support/until.js';

const files = { 'a.txt': 'alpha\n', '.env': 'PASSWORD=hunter2\n' };
const never = () => new Promise<never>(() => undefined);

async function edit(bench: Bench, does: EditorBehaviour = {}) {
  const editor = await openEditor(bench.start(['acp', ...scripted]), does);
  const { sessionId } = await editor.open(bench.folder);
  const send = (...prompt: ContentBlock[]) => editor.agent.request('session/prompt', { sessionId, prompt });
  return { ...editor, sessionId, send };
}

describe('slow or unresponsive editors (rules: acp, one-signal)', () => {
  test('a prompt can be cancelled and its session closed while the editor never answers a file read', async () => {
    const bench = await setUp([answer('Fine.')], files);
    let isAsked = false;
    const readFile = () => {
      isAsked = true;
      return never();
    };
    const { agent, sessionId, send } = await edit(bench, { readFile });
    const uri = `file://${bench.folder}/a.txt`;
    const ending = send({ type: 'resource_link', uri, name: 'a.txt' });
    await until(() => isAsked);
    await agent.notify('session/cancel', { sessionId });
    expect(await ending).toEqual({ stopReason: 'cancelled' });
    expect(await agent.request('session/close', { sessionId })).toEqual({});
  });

  test('a command does not run locally if the editor refuses the terminal after cancellation', async () => {
    const bench = await setUp([act('run_command(command="touch ran")')], files);
    const refusals: ((reason: Error) => void)[] = [];
    const terminal = () =>
      new Promise<never>((_, reject) => {
        refusals.push(reject);
      });
    const allow = { outcome: { outcome: 'selected' as const, optionId: 'allow' } };
    const editor = await edit(bench, { terminal, permission: async () => allow });
    const ending = editor.prompt(editor.sessionId, 'Go');
    await until(() => refusals.length === 1);
    await editor.agent.notify('session/cancel', { sessionId: editor.sessionId });
    expect(await ending).toBe('cancelled');
    refusals[0]?.(new Error('too late'));
    bench.provider.script([act('run_command(command="true")')]);
    const next = editor.prompt(editor.sessionId, 'Go on');
    await until(() => refusals.length === 2); // a local run of the first command would have ended before this
    expect(existsSync(join(bench.folder, 'ran'))).toBe(false);
    await editor.agent.notify('session/cancel', { sessionId: editor.sessionId });
    expect(await next).toBe('cancelled');
  });

  test('the ACP process exits when the editor disconnects while an MCP server hangs at startup', async () => {
    const bench = await setUp([], files);
    const log = join(bench.folder, 'server.log');
    const child = bench.start(['acp', ...scripted]);
    const editor = await openEditor(child);
    const server = { name: 'hangs', ...rawServer({ neverInitializes: true, log }), env: [] };
    await editor.open(bench.folder, [server]);
    await until(() => existsSync(log));
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  test('the ACP process exits when an editor that reads no output disconnects', async () => {
    const bench = await setUp([answer('word '.repeat(400_000))], files);
    const child = bench.start(['acp', ...scripted]);
    const send = (id: number, method: string, params: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    send(0, 'initialize', { protocolVersion: 1 });
    await until(
      () => output,
      (text) => text.includes('agentInfo'),
    );
    send(1, 'session/new', { cwd: bench.folder, mcpServers: [] });
    await until(
      () => output,
      (text) => text.includes('sessionId'),
    );
    child.stdout.pause();
    const [, sessionId] = /"sessionId":"([^"]+)"/.exec(output) ?? [];
    send(2, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go' }] });
    await until(() => child.stdout.readableLength >= child.stdout.readableHighWaterMark);
    await wait(500); // gives the pipe time to fill as well
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  }, 60_000);
});

describe('editors with malformed responses (rule: acp)', () => {
  const run = act('run_command(command="echo from here")');
  const allow = async () => ({ outcome: { outcome: 'selected' as const, optionId: 'allow' } });
  const terminal = () => ({
    output: 'from there',
    exit: Promise.resolve({ exitCode: 0 }),
    calls: [],
    kill: () => undefined,
  });

  test.each([
    ['terminal/wait_for_exit', null, 'The editor did not say how the command ended.'],
    ['terminal/wait_for_exit', { exitCode: '0' }, 'The editor did not say how the command ended.'],
    ['terminal/wait_for_exit', {}, 'Ended by the editor.\\nfrom there'],
    ['terminal/output', null, 'Exit code 0.\\n(The editor did not tell the output.)'],
    ['terminal/output', { output: 5 }, 'Exit code 0.\\n(The editor did not tell the output.)'],
    ['terminal/create', null, 'from here'],
    ['terminal/create', { terminalId: 5 }, 'from here'],
  ])('a malformed editor response to %s (%j) gives the model a readable result', async (method, response, expected) => {
    const bench = await setUp([run, answer('Ran.')], files);
    const editor = await edit(bench, { permission: allow, terminal, malformed: { [method]: response } });
    expect(await editor.prompt(editor.sessionId, 'Run it')).toBe('end_turn');
    expect(bench.prompt(1)).toContain(expected);
    expect(bench.prompt(1)).not.toMatch(/TypeError|undefined|Cannot read/);
  });

  test('if the editor never answers after the end of a command, the model gets its exit code all the same', async () => {
    const bench = await setUp([run, answer('Ran.')], files);
    const silent = ['terminal/kill', 'terminal/output', 'terminal/release'];
    const malformed = Object.fromEntries(silent.map((method) => [method, never()]));
    const editor = await edit(bench, { permission: allow, terminal, malformed });
    expect(await editor.prompt(editor.sessionId, 'Run it')).toBe('end_turn');
    expect(bench.prompt(1)).toContain('Exit code 0.\\n(The editor did not tell the output.)');
  }, 60_000);

  test.each([
    null,
    'yes',
    { action: 'accept', content: null },
    { action: 'accept', content: { answer: 5 } },
  ])('a malformed elicitation response (%j) counts as no answer and cancels the turn', async (odd) => {
    const bench = await setUp([act('request_input(question="Which?")')], files);
    const elicit = async () => ({ action: 'decline' as const });
    const editor = await edit(bench, { elicit, malformed: { 'elicitation/create': odd } });
    expect(await editor.prompt(editor.sessionId, 'Ask me')).toBe('cancelled');
  });

  test.each([
    null,
    { content: null },
    { content: 5 },
  ])('a malformed file response from the editor (%j) falls back to the file on disk', async (odd) => {
    const bench = await setUp([act('read_file(path="a.txt")'), answer('Read.')], files);
    const editor = await edit(bench, { readFile: async () => '', malformed: { 'fs/read_text_file': odd } });
    await editor.prompt(editor.sessionId, 'Read it');
    expect(bench.prompt(1)).toContain('1: alpha');
  });
});

describe('texts attached by an editor (rules: acp, secret-files)', () => {
  const text = (uri: string, content: string) => ({
    type: 'resource' as const,
    resource: { uri, text: content },
  });

  test('attached texts of secret files are not sent, even through a symlink, and a notice in the editor says so', async () => {
    const bench = await setUp([answer('Read.')], files);
    symlinkSync('.env', join(bench.folder, 'notes.txt'));
    const editor = await edit(bench);
    const uris = ['.env', 'notes.txt', '../.ssh/id_rsa'].map((name) => `file://${bench.folder}/${name}`);
    await editor.send(...[...uris, '.env'].map((uri) => text(uri, 'hunter2')));
    expect(bench.prompt(0)).not.toContain('hunter2');
    expect(editor.text(editor.sessionId).match(/was not sent/g)).toHaveLength(4);
  });

  test('secret files are recognised in encoded URIs and in URIs with a query or fragment', async () => {
    const bench = await setUp([answer('Read.')], files);
    const editor = await edit(bench);
    const uris = ['ssh://host/app/%2Eenv', 'ssh://host/app/tls.key#L1', 'ssh://host/app/tls.pem?v=1'];
    await editor.send(...uris.map((uri) => text(uri, 'hunter2')));
    expect(bench.prompt(0)).not.toContain('hunter2');
    expect(editor.text(editor.sessionId).match(/was not sent/g)).toHaveLength(3);
  });

  test('attached files of a project are sent even if its parent folder has a secret name', async () => {
    const bench = await setUp([answer('Read.')], { '.env-tools/app/a.txt': 'alpha\n' });
    const editor = await edit(bench);
    const project = `${bench.folder}/.env-tools/app`;
    const { sessionId } = await editor.open(project);
    const prompt = [
      text(`file://${project}/a.txt`, 'as it stands'),
      text(`file://${project}/.env`, 'hunter2'),
    ];
    await editor.agent.request('session/prompt', { sessionId, prompt });
    expect(bench.prompt(0)).toContain('as it stands');
    expect(bench.prompt(0)).not.toContain('hunter2');
  });

  test('two attached parts of one file are sent separately, each with its line range', async () => {
    const bench = await setUp([answer('Read.')], files);
    const editor = await edit(bench);
    const uri = `file://${bench.folder}/a.txt`;
    await editor.send(text(`${uri}#L1:2`, 'the first'), text(`${uri}#L5:6`, 'the second'));
    for (const said of ['the first', 'the second', '@a.txt#L1:2', '@a.txt#L5:6'])
      expect(bench.prompt(0)).toContain(said);
  });

  test('attached texts with the same URI, or with none, are all sent under different names', async () => {
    const bench = await setUp([answer('Read.')], files);
    const editor = await edit(bench);
    const uri = `file://${bench.folder}/a.txt`;
    await editor.send(text(uri, 'the first'), text(uri, 'the second'), text('', 'the third'));
    for (const said of ['the first', 'the second', 'the third', '@a.txt@a.txt (2)@attachment'])
      expect(bench.prompt(0)).toContain(said);
  });
});
