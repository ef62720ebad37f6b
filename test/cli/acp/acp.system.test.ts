import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CreateElicitationResponse,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { describe, expect, jest, test } from '@jest/globals';
import { type EditorBehaviour, openEditor, type TestEditor } from '../../support/acp-editor.js';
import { act, answer, type Bench, ended, scripted, setUp } from '../../support/cli-harness.js';
import { until } from '../../support/until.js';

const files = { 'a.txt': 'alpha\n', 'src/main.ts': 'export const x = 1;\n' };

const start = (bench: Bench, args: readonly string[] = scripted) => bench.start(['acp', ...args]);

async function edit(
  bench: Bench,
  does: EditorBehaviour = {},
  args = scripted,
): Promise<TestEditor & { id: string }> {
  const editor = await openEditor(start(bench, args), does);
  const { sessionId } = await editor.open(bench.folder);
  return { ...editor, id: sessionId };
}

const choose = (optionId: string): RequestPermissionResponse => ({
  outcome: { outcome: 'selected', optionId },
});
function deferred<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const change = 'edit_file(path="a.txt", old_string="alpha", new_string="beta")';
const isCall = (status: string) => (update: SessionUpdate) =>
  update.sessionUpdate === 'tool_call_update' && update.status === status;

describe('ACP prompts (rule: acp)', () => {
  test('an ACP prompt sends thought, call, result and answer to the editor in order and ends the turn', async () => {
    const bench = await setUp(
      [act('read_file(path="a.txt", start_line=1)', 'I look.'), answer('It says alpha.')],
      files,
    );
    const editor = await edit(bench);
    expect(await editor.prompt(editor.id, 'What is in a.txt?')).toBe('end_turn');
    expect(editor.text(editor.id)).toBe('It says alpha.');
    expect(editor.text(editor.id, 'agent_thought_chunk')).toMatch(/^I look\..*I know\.$/);
    expect(editor.calls(editor.id)).toEqual([
      {
        toolCallId: expect.any(String),
        title: 'Reading a.txt',
        name: 'read_file',
        kind: 'read',
        locations: [{ path: join(bench.folder, 'a.txt'), line: 1 }],
        rawInput: { path: 'a.txt', start_line: 1 },
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: expect.stringContaining('1: alpha') } }],
        rawOutput: expect.stringContaining('1: alpha'),
      },
    ]);
    const kinds = editor.updates(editor.id).map(({ sessionUpdate }) => sessionUpdate);
    expect([...new Set(kinds)]).toEqual([
      'available_commands_update',
      'agent_thought_chunk',
      'tool_call',
      'usage_update',
      'tool_call_update',
      'agent_message_chunk',
      'session_info_update',
    ]);
  });

  test('the next ACP prompt sends the conversation so far to the model', async () => {
    const bench = await setUp([answer('One.'), answer('Two.')], files);
    const editor = await edit(bench);
    await editor.prompt(editor.id, 'The first task');
    await editor.prompt(editor.id, 'The second task');
    for (const said of ['The first task', 'One.', 'The second task']) expect(bench.prompt(1)).toContain(said);
  });

  test('an ACP prompt sends the TODO list as a plan and hides the tool calls that change it', async () => {
    const bench = await setUp(
      [
        act('create_tasks(tasks=["Read", {"content": "Write", "status": "in_progress"}])'),
        act('update_task_status(id=1, status="completed")'),
        answer('Done.'),
      ],
      files,
    );
    const editor = await edit(bench);
    await editor.prompt(editor.id, 'Plan it');
    const plans = editor.updates(editor.id).filter(({ sessionUpdate }) => sessionUpdate === 'plan');
    expect(plans.at(-1)).toEqual({
      sessionUpdate: 'plan',
      entries: [
        { content: 'Read', priority: 'medium', status: 'completed' },
        { content: 'Write', priority: 'medium', status: 'in_progress' },
      ],
    });
    expect(editor.calls(editor.id)).toEqual([]);
  });

  test('an ACP prompt reports the step limit and a provider failure to the editor, and the session remains usable', async () => {
    const bench = await setUp([act('read_file(path="a.txt")'), act('read_file(path="a.txt")')], files);
    const editor = await edit(bench, {}, [...scripted, '--max-steps', '1']);
    expect(await editor.prompt(editor.id, 'Go')).toBe('max_turn_requests');
    bench.provider.script({ fault: 'html' });
    await expect(editor.prompt(editor.id, 'Again')).rejects.toMatchObject({ code: -32603 });
    bench.provider.script([answer('Back.')]);
    expect(await editor.prompt(editor.id, 'And now?')).toBe('end_turn');
    expect(editor.text(editor.id)).toContain('Back.');
  });

  test('every message, thought and notice has its own id, which all of its chunks share', async () => {
    const bench = await setUp([act('read_file(path="a.txt")', 'I look.'), answer('It says alpha.')], files);
    const editor = await edit(bench);
    await editor.prompt(editor.id, 'What is in a.txt?');
    await editor.prompt(editor.id, '/rules');
    const chunks = editor.updates(editor.id).flatMap((update) => ('messageId' in update ? [update] : []));
    const texts = new Map<unknown, string>();
    for (const { messageId, content } of chunks)
      texts.set(messageId, `${texts.get(messageId) ?? ''}${content.type === 'text' ? content.text : ''}`);
    expect([...texts.keys()]).not.toContain(undefined);
    expect([...texts.values()]).toEqual([
      'I look.',
      'I know.',
      'It says alpha.',
      expect.stringContaining('There are no always-allow rules'),
    ]);
  });

  test.each([
    ['refusal', { refusal: 'I will not.' }, 'upstream_refusal', false],
    ['max_tokens', { text: 'Action: read_file(path="a', finishReason: 'length' }, 'output_truncated', true],
  ] as const)('an ACP prompt returns the stop reason %s and shows the error code once, and the session continues', async (reason, reply, code, isKept) => {
    const bench = await setUp([reply, answer('Later.')], files);
    const editor = await edit(bench);
    expect(await editor.prompt(editor.id, 'The first task')).toBe(reason);
    expect(editor.text(editor.id).match(new RegExp(code, 'g'))).toHaveLength(1);
    expect(await editor.prompt(editor.id, 'The second task')).toBe('end_turn');
    const sent = JSON.stringify(bench.provider.requests.at(-1)?.body);
    expect([sent.includes('The first task'), sent.includes('The second task')]).toEqual([isKept, true]);
  });

  test('an ACP prompt whose answer is cut by the output limit returns the stop reason max_tokens', async () => {
    const bench = await setUp([{ ...answer('A long'), finishReason: 'length' }], files);
    const editor = await edit(bench);
    expect(await editor.prompt(editor.id, 'Tell me')).toBe('max_tokens');
    expect(editor.text(editor.id)).toContain('A long');
  });

  test('/diff shows the changes of the last task, and /undo takes them back and tells the model', async () => {
    const replies = [
      act(change),
      act('write_file(path="new/b.txt", content="b")'),
      answer('Done.'),
      answer('I see.'),
    ];
    const bench = await setUp(replies, files);
    const editor = await edit(bench, { permission: async () => choose('allow') });
    await editor.prompt(editor.id, '/diff');
    expect(editor.text(editor.id)).toContain('No task changed a file');
    await editor.prompt(editor.id, 'Change it');
    await editor.prompt(editor.id, '/diff');
    expect(editor.text(editor.id)).toMatch(/-alpha\n\+beta\n[\s\S]*\+b\n/);
    await editor.prompt(editor.id, '/undo');
    expect(editor.text(editor.id)).toMatch(/a\.txt: put back\n {2}new\/b\.txt: removed\n {2}new\/: removed/);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('alpha\n');
    expect(existsSync(join(bench.folder, 'new'))).toBe(false);
    await editor.prompt(editor.id, 'Go on');
    expect(JSON.stringify(bench.provider.requests.at(-1)?.body)).toContain(
      'The user took back your changes to files',
    );
  });

  test('/undo restores the text of a file open in the editor, unless the person changed it since', async () => {
    const buffers = new Map<string, string>();
    const bench = await setUp([act(change), answer('Done.')], files);
    const editor = await edit(bench, {
      permission: async () => choose('allow'),
      readFile: async (path) => buffers.get(path) ?? readFileSync(path, 'utf8'),
      writeFile: async (path, content) => void buffers.set(path, content),
    });
    const path = join(bench.folder, 'a.txt');
    await editor.prompt(editor.id, 'Change it');
    buffers.set(path, 'beta, and mine\n');
    await editor.prompt(editor.id, '/undo');
    expect([buffers.get(path), editor.text(editor.id)]).toEqual([
      'beta, and mine\n',
      expect.stringContaining('a.txt: changed since, left as it is'),
    ]);
    buffers.set(path, 'beta\n');
    await editor.prompt(editor.id, '/undo');
    expect(buffers.get(path)).toBe('alpha\n');
  });

  test('an ACP prompt to the offline model shows that no language model is called', async () => {
    const bench = await setUp([], { 'a.md': '# Alpha\n\nThe alpha limit is 60.\n' });
    const editor = await edit(bench, {}, []);
    expect(await editor.prompt(editor.id, 'What is the alpha limit?')).toBe('end_turn');
    expect(editor.text(editor.id)).toContain('No language model is called');
  });
});

describe('files attached to an ACP prompt (rule: acp)', () => {
  test('an ACP prompt reads linked files, uses embedded texts and skips secret files and files outside the folder', async () => {
    const bench = await setUp([answer('Read.')], { ...files, '.env': 'PASSWORD=hunter2\n' });
    const editor = await edit(bench);
    await editor.agent.request('session/prompt', {
      sessionId: editor.id,
      prompt: [
        { type: 'text', text: 'Compare ' },
        { type: 'resource_link', uri: `file://${bench.folder}/a.txt`, name: 'a.txt' },
        { type: 'text', text: ' with ' },
        {
          type: 'resource',
          resource: { uri: `file://${bench.folder}/src/main.ts`, text: 'export const x = 2;' },
        },
        { type: 'resource_link', uri: 'file:///etc/hostname', name: 'hostname' },
        { type: 'resource_link', uri: `file://${bench.folder}/.env`, name: '.env' },
      ],
    });
    const prompt = bench.prompt(0);
    expect(prompt).toContain('Compare @a.txt with @src/main.ts');
    expect(prompt).toContain('alpha');
    expect(prompt).toContain('export const x = 2;');
    expect(prompt).not.toContain('hunter2');
    expect(editor.text(editor.id)).toContain('/etc/hostname was not read:');
    expect(editor.text(editor.id)).toContain('.env was not read:');
  });

  test('the images and PDF files of an ACP prompt are sent to the model', async () => {
    const bench = await setUp([answer('A cat.')], files);
    const editor = await edit(bench);
    await editor.agent.request('session/prompt', {
      sessionId: editor.id,
      prompt: [
        { type: 'image', data: 'iVBORw==', mimeType: 'image/png' },
        {
          type: 'resource',
          resource: { uri: 'file:///x.pdf', mimeType: 'application/pdf', blob: 'JVBERg==' },
        },
        { type: 'text', text: 'What is in it?' },
      ],
    });
    expect(editor.text(editor.id)).toContain('A cat.');
    expect(editor.text(editor.id)).not.toContain('iVBORw==');
  });

  test('an ACP prompt with audio, binary data, or an SVG or invalid image is rejected, and the session remains usable', async () => {
    const bench = await setUp([answer('Fine.')], files);
    const editor = await edit(bench);
    for (const block of [
      { type: 'image' as const, data: 'AAAA', mimeType: 'image/svg+xml' },
      { type: 'image' as const, data: 'A A', mimeType: 'image/png' },
      { type: 'audio' as const, data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource' as const, resource: { uri: 'file:///x.bin', blob: 'AAAA' } },
    ])
      await expect(
        editor.agent.request('session/prompt', { sessionId: editor.id, prompt: [block] }),
      ).rejects.toThrow('Stepwise can only send text');
    expect(await editor.prompt(editor.id, 'Well?')).toBe('end_turn');
  });

  test('an ACP prompt without text or with a NUL character is rejected', async () => {
    const bench = await setUp([answer('Fine.')], files);
    const editor = await edit(bench);
    const send = (prompt: { type: 'text'; text: string }[]) =>
      editor.agent.request('session/prompt', { sessionId: editor.id, prompt });
    for (const prompt of [[], [{ type: 'text' as const, text: ' \n' }]])
      await expect(send(prompt)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('no text'),
      });
    await expect(send([{ type: 'text', text: 'a\0b' }])).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('NUL'),
    });
    expect(await editor.prompt(editor.id, 'Well?')).toBe('end_turn');
  });

  test('the model reads and edits the unsaved text of files open in the editor', async () => {
    const written: string[] = [];
    const bench = await setUp(
      [act('read_file(path="a.txt")'), act(change.replace('alpha', 'unsaved')), answer('Done.')],
      files,
    );
    const editor = await edit(bench, {
      readFile: async () => 'unsaved\n',
      writeFile: async (path, content) => void written.push(path, content),
      permission: async () => choose('allow'),
    });
    await editor.prompt(editor.id, 'Change it');
    expect(bench.prompt(1)).toContain('1: unsaved');
    expect(written).toEqual([join(bench.folder, 'a.txt'), 'beta\n']);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('alpha\n');
  });

  test('an ACP prompt edits the file on disk if the editor cannot read it', async () => {
    const written: string[] = [];
    const bench = await setUp([act(change), answer('Done.')], files);
    const editor = await edit(bench, {
      readFile: async () => Promise.reject(new Error('busy')),
      writeFile: async (path) => void written.push(path),
      permission: async () => choose('allow'),
    });
    await editor.prompt(editor.id, 'Change it');
    expect(written).toEqual([]);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('beta\n');
  });

  test('an editor that reads files but does not write them gets changes of saved files only', async () => {
    const changes = ['unsaved', 'saved'].map((text) => act(change.replace('alpha', text)));
    const bench = await setUp([...changes, answer('Done.')], { 'a.txt': 'saved\n' });
    const editor = await edit(bench, {
      readFile: async () => (bench.provider.requests.length === 1 ? 'unsaved\n' : 'saved\n'),
      permission: async () => choose('allow'),
    });
    await editor.prompt(editor.id, 'Change it');
    expect(bench.prompt(1)).toContain('has unsaved changes in the editor');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('beta\n');
  });

  test('an ACP prompt never asks the editor to read secret files or files outside the folder', async () => {
    const read: string[] = [];
    const bench = await setUp(
      [act('read_file(path="/etc/hostname")'), act('read_file(path=".env")'), answer('No.')],
      { ...files, '.env': 'PASSWORD=hunter2\n' },
    );
    const editor = await edit(bench, { readFile: async (path) => `${read.push(path)}` });
    await editor.prompt(editor.id, 'Read them');
    expect(read).toEqual([]);
    expect(editor.calls(editor.id).map(({ status }) => status)).toEqual(['failed', 'failed']);
  });
});

describe('approvals in the editor (rules: acp, approval)', () => {
  test('an edit is shown as a diff in the editor, and made after the person allows it', async () => {
    const bench = await setUp([act(change), answer('Done.')], files);
    const editor = await edit(bench, { permission: async () => choose('allow') });
    expect(await editor.prompt(editor.id, 'Change it')).toBe('end_turn');
    const [call] = editor.calls(editor.id);
    const diff = { type: 'diff', path: join(bench.folder, 'a.txt'), oldText: 'alpha\n', newText: 'beta\n' };
    expect(call).toMatchObject({ kind: 'edit', status: 'completed', content: [diff] });
    expect(editor.permissionRequests[0]?.toolCall.toolCallId).toBe(call?.toolCallId);
    expect(editor.permissionRequests[0]?.options.map(({ kind }) => kind)).toEqual([
      'allow_once',
      'allow_always',
      'reject_once',
    ]);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('beta\n');
  });

  // Editors can send outcomes that the types do not allow.
  const strange = { outcome: { outcome: 'rejected', optionId: 'allow' } } as unknown as ReturnType<
    typeof choose
  >;

  const refused = 'The user refused this call, so it was not run.';
  const closed = `${refused} Reason: The person closed the question without an answer.`;
  const notAsked = 'Not run: it needs approval, and no person can be asked.';

  test.each([
    ['denied', async () => choose('reject'), refused],
    ['answered by closing the dialog', async () => ({ outcome: { outcome: 'cancelled' as const } }), closed],
    ['answered with an unknown option', async () => choose('always-0'), refused],
    ['answered with an unknown outcome', async () => strange, closed],
    ['rejected by the editor', async () => Promise.reject(new Error('no window')), notAsked],
  ])('an edit changes nothing and its call says why if the approval request is %s', async (_, permission, text) => {
    const bench = await setUp([act(change), answer('Then not.')], files);
    const editor = await edit(bench, { permission });
    expect(await editor.prompt(editor.id, 'Change it')).toBe('end_turn');
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('alpha\n');
    const [call] = editor.calls(editor.id);
    expect(call).toMatchObject({ status: 'failed', rawOutput: text });
    expect(editor.text(editor.id)).toContain('Then not.');
  });

  test('an always-allowed command runs in another ACP session without approval', async () => {
    const run = 'run_command(command="echo one")';
    const bench = await setUp([act(run), answer('1'), act(run), answer('2')], files);
    const editor = await edit(bench, {
      permission: async ({ options }) =>
        choose(options.find(({ kind }) => kind === 'allow_always')?.optionId ?? ''),
    });
    await editor.prompt(editor.id, 'Run it');
    const { sessionId } = await editor.open(bench.folder);
    await editor.prompt(sessionId, 'Run it again');
    expect(editor.permissionRequests).toHaveLength(1);
    const [call] = editor.calls(sessionId);
    expect(call).toMatchObject({ kind: 'execute', status: 'completed', title: 'Running echo one' });
  });

  test('an ACP session reports an always-allow rule that cannot be saved, and runs the call', async () => {
    const bench = await setUp([act('run_command(command="echo one")'), answer('Done.')], files);
    const config = join(`${bench.environment['HOME']}`, '.config/stepwise');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'approvals.json'), '[]');
    const editor = await edit(bench, {
      permission: async ({ options }) =>
        choose(options.find(({ kind }) => kind === 'allow_always')?.optionId ?? ''),
    });
    await editor.prompt(editor.id, 'Run it');
    expect(editor.text(editor.id)).toMatch(/The rule could not be saved: .*approvals\.json .*\n\nDone\.$/s);
    expect(editor.calls(editor.id)[0]).toMatchObject({ kind: 'execute', status: 'completed' });
  });

  test('the accept-edits mode skips approval for edits, but not for commands or hidden files', async () => {
    const hook = 'write_file(path=".github/workflows/x.yml", content="run: rm -rf .")';
    const bench = await setUp(
      [act(change), act(hook), act('run_command(command="rm a.txt")'), answer('Done.')],
      files,
    );
    const editor = await edit(bench, { permission: async () => choose('reject') });
    await editor.agent.request('session/set_mode', { sessionId: editor.id, modeId: 'accept-edits' });
    await editor.prompt(editor.id, 'Change it');
    expect(editor.permissionRequests.map(({ toolCall }) => toolCall.kind)).toEqual(['edit', 'execute']);
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('beta\n');
    await expect(
      editor.agent.request('session/set_mode', { sessionId: editor.id, modeId: 'yolo' }),
    ).rejects.toThrow('Unknown mode: yolo.');
  });

  test("the model's question is shown as a form in the editor, or as the answer if the editor has no forms", async () => {
    const question = act('request_input(question="Which file?", choices=["a.txt"])');
    const bench = await setUp([question, answer('A it is.'), question, answer('Main it is.')], files);
    const asking = await edit(bench, {
      elicit: async () => ({ action: 'accept', content: { answer: 'a.txt' } }),
    });
    expect(await asking.prompt(asking.id, 'Ask me')).toBe('end_turn');
    expect(asking.text(asking.id)).toBe('A it is.');
    const plain = await edit(bench);
    expect(await plain.prompt(plain.id, 'Ask me')).toBe('end_turn');
    expect(plain.text(plain.id)).toContain('Which file?\n- a.txt');
    expect(await plain.prompt(plain.id, 'src/main.ts')).toBe('end_turn');
    expect(plain.text(plain.id)).toContain('Main it is.');
    expect(bench.prompt(3)).toContain('src/main.ts');
  });
});

describe('commands over ACP (rules: acp, command-safety)', () => {
  const run = act('run_command(command="echo from here")');

  test('commands run in a terminal of the editor, which is released afterwards', async () => {
    const calls: string[] = [];
    const bench = await setUp([run, answer('Ran.')], files);
    const commands: string[] = [];
    const editor = await edit(bench, {
      permission: async () => choose('allow'),
      terminal: ({ command, args, cwd }) => {
        commands.push(`${command} ${args?.join(' ')} in ${cwd}`);
        return {
          output: 'from there\n',
          exit: Promise.resolve({ exitCode: 0 }),
          calls,
          kill: () => undefined,
        };
      },
    });
    await editor.prompt(editor.id, 'Run it');
    expect(commands).toEqual([`bash -c echo from here in ${bench.folder}`]);
    expect(bench.prompt(1)).toContain('Exit code 0.\\nfrom there');
    expect(editor.calls(editor.id)[0]?.content).toEqual([{ type: 'terminal', terminalId: 'terminal-1' }]);
    expect(calls.at(-1)).toBe('release');
  });

  test('a command in a terminal of the editor gets no environment variable that contains a key, even inside a longer value', async () => {
    const bench = await setUp([run, answer('Ran.')], files);
    const word = 'canary-key-0123456789';
    Object.assign(bench.environment, {
      OPENAI_API_KEY: word,
      MIRROR: `https://user:${word}@mirror.example`,
      BASIC_LOGIN: Buffer.from(`user:${word}`).toString('base64'),
      HARMLESS: 'x',
    });
    const hidden: string[] = [];
    const editor = await edit(bench, {
      permission: async () => choose('allow'),
      terminal: ({ env }) => {
        hidden.push(...(env ?? []).map(({ name, value }) => `${name}=${value}`));
        return { output: '', exit: Promise.resolve({ exitCode: 0 }), calls: [], kill: () => undefined };
      },
    });
    await editor.prompt(editor.id, 'Run it');
    expect(hidden).toEqual(expect.arrayContaining(['OPENAI_API_KEY=', 'MIRROR=', 'BASIC_LOGIN=']));
    expect(hidden).not.toContain('HARMLESS=');
  });

  test('a command does not run in a terminal of the editor if its folder is a link that changed after the approval', async () => {
    const there = act('run_command(command="echo x", working_dir="link")');
    const bench = await setUp([there, answer('Ran.')], { ...files, 'other/b.txt': 'b' });
    const link = join(bench.folder, 'link');
    symlinkSync('src', link);
    const commands: string[] = [];
    const editor = await edit(bench, {
      permission: async () => {
        rmSync(link);
        symlinkSync('other', link);
        return choose('allow');
      },
      terminal: ({ command }) => {
        commands.push(command);
        return { output: '', exit: Promise.resolve({ exitCode: 0 }), calls: [], kill: () => undefined };
      },
    });
    await editor.prompt(editor.id, 'Run it');
    expect(commands).toEqual([]);
    expect(bench.prompt(1)).toContain('leads to another folder than when the command was approved');
  });

  test('commands run locally if the editor cannot open a terminal, and their output is shown', async () => {
    const bench = await setUp([run, answer('Ran.')], files);
    const editor = await edit(bench, {
      permission: async () => choose('allow'),
      terminal: () => {
        throw new Error('no terminal');
      },
    });
    await editor.prompt(editor.id, 'Run it');
    expect(JSON.stringify(editor.calls(editor.id)[0]?.content)).toContain('from here');
  });
});

describe('cancelling an ACP prompt (rules: acp, one-signal)', () => {
  test('an ACP prompt can be cancelled during the model call', async () => {
    const bench = await setUp([{ text: 'never', delayMs: 60_000 }, answer('Here again.')], files);
    const editor = await edit(bench);
    const ending = editor.prompt(editor.id, 'Go');
    await bench.provider.request(0);
    await editor.agent.notify('session/cancel', { sessionId: editor.id });
    expect(await ending).toBe('cancelled');
    expect(await editor.prompt(editor.id, 'And now?')).toBe('end_turn');
  });

  test('an ACP prompt can be cancelled during an approval, and a late approval changes nothing', async () => {
    const bench = await setUp([act(change), answer('no')], files);
    const late = deferred<RequestPermissionResponse>();
    const asked = deferred<boolean>();
    const editor = await edit(bench, {
      permission: () => {
        asked.resolve(true);
        return late.promise;
      },
    });
    const ending = editor.prompt(editor.id, 'Go');
    await asked.promise;
    await editor.agent.notify('session/cancel', { sessionId: editor.id });
    expect(await ending).toBe('cancelled');
    late.resolve(choose('allow'));
    expect(readFileSync(join(bench.folder, 'a.txt'), 'utf8')).toBe('alpha\n');
  });

  test('every call of a prompt that is cancelled during an approval ends as failed in the editor', async () => {
    const calls = ['echo one', 'echo two'].map((command) => ({
      name: 'run_command',
      arguments: { command },
    }));
    const bench = await setUp([{ text: null, toolCalls: calls }], files);
    const asked = deferred<boolean>();
    const never = () => {
      asked.resolve(true);
      return new Promise<RequestPermissionResponse>(() => undefined);
    };
    const editor = await edit(bench, { permission: never }, [...scripted, '--protocol', 'native']);
    const ending = editor.prompt(editor.id, 'Go');
    await asked.promise;
    await editor.agent.notify('session/cancel', { sessionId: editor.id });
    expect(await ending).toBe('cancelled');
    const ended = { status: 'failed', rawOutput: 'Not run: the run was stopped first.' };
    expect(editor.calls(editor.id)).toMatchObject([ended, ended]);
  });

  test('an ACP prompt can be cancelled while a command runs, locally or in a terminal of the editor', async () => {
    const bench = await setUp([act('run_command(command="touch began; sleep 60; touch ended")')], files);
    const editor = await edit(bench, { permission: async () => choose('allow') });
    const ending = editor.prompt(editor.id, 'Go');
    await editor.until(editor.id, isCall('in_progress'));
    await until(() => existsSync(join(bench.folder, 'began')));
    await editor.agent.notify('session/cancel', { sessionId: editor.id });
    expect(await ending).toBe('cancelled');
    const calls: string[] = [];
    const exit = deferred<{ exitCode: number | null }>();
    const watching = await edit(bench, {
      permission: async () => choose('allow'),
      terminal: () => ({
        output: '',
        exit: exit.promise,
        calls,
        kill: () => exit.resolve({ exitCode: null }),
      }),
    });
    bench.provider.script([act('run_command(command="sleep 60")')]);
    const second = watching.prompt(watching.id, 'Go');
    await watching.until(watching.id, isCall('in_progress'));
    await watching.agent.notify('session/cancel', { sessionId: watching.id });
    expect(await second).toBe('cancelled');
    expect(calls).toEqual(expect.arrayContaining(['kill', 'release']));
  });

  test('an ACP prompt can be cancelled while the model asks a question, and a late answer is ignored', async () => {
    const bench = await setUp([act('request_input(question="Which file?")'), answer('Here again.')], files);
    const late = deferred<CreateElicitationResponse>();
    const asked = deferred<boolean>();
    const editor = await edit(bench, {
      elicit: () => {
        asked.resolve(true);
        return late.promise;
      },
    });
    const ending = editor.prompt(editor.id, 'Ask me');
    await asked.promise;
    await editor.agent.notify('session/cancel', { sessionId: editor.id });
    expect(await ending).toBe('cancelled');
    late.resolve({ action: 'accept', content: { answer: 'a.txt' } });
    expect(await editor.prompt(editor.id, 'And now?')).toBe('end_turn');
    expect(editor.text(editor.id)).toBe('Here again.');
    expect(bench.prompt(1)).toContain('And now?');
    expect(bench.prompt(1)).not.toContain('a.txt');
  });

  test('a second ACP prompt is rejected while the session is running one', async () => {
    const bench = await setUp([{ text: 'never', delayMs: 60_000 }], files);
    const editor = await edit(bench);
    const ending = editor.prompt(editor.id, 'Go');
    await bench.provider.request(0);
    await expect(editor.prompt(editor.id, 'And')).rejects.toThrow('already running a prompt');
    await editor.agent.notify('session/cancel', { sessionId: editor.id });
    expect(await ending).toBe('cancelled');
  });
});

describe('ACP with other protocols for tool calls (rules: acp, native-calling)', () => {
  const calls = [{ name: 'read_file', arguments: { path: 'a.txt' } }];
  const script = [{ text: 'I look.', toolCalls: calls }, { text: 'It says alpha.' }];

  async function read(bench: Bench, args: string[]) {
    const editor = await edit(bench, {}, args);
    expect(await editor.prompt(editor.id, 'What is in a.txt?')).toBe('end_turn');
    expect(editor.calls(editor.id)).toMatchObject([
      { title: 'Reading a.txt', kind: 'read', status: 'completed' },
    ]);
    expect(editor.text(editor.id)).toContain('It says alpha.');
  }

  test('an ACP prompt runs with native tool calling', async () => {
    const bench = await setUp(script, files);
    await read(bench, [...scripted, '--protocol', 'native']);
    expect(bench.prompt(1)).toContain('"role":"tool"');
  });

  test.each(['native', 'text'])('an ACP prompt runs with Anthropic and %s tool calling', async (protocol) => {
    const text = [act('read_file(path="a.txt")', 'I look.'), answer('It says alpha.')];
    const bench = await setUp(protocol === 'native' ? script : text, files, { inProcess: true });
    bench.environment['ANTHROPIC_UPSTREAM_URL'] = bench.provider.url;
    bench.environment['ANTHROPIC_API_KEY'] = 'sk-ant-canary';
    await read(bench, ['--model', 'claude-sonnet-4-5', '--protocol', protocol]);
    expect(bench.provider.requests.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/messages']);
    expect(bench.prompt(1)).toContain(protocol === 'native' ? '"type":"tool_result"' : '1: alpha');
  });
});

describe('ACP input and output (rule: acp)', () => {
  test('the ACP process survives partial, invalid and huge messages and unknown methods', async () => {
    const bench = await setUp([answer('Still here.')], files);
    const child = start(bench);
    // The SDK logs each response without a request to the console.
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const long = JSON.stringify({ jsonrpc: '2.0', id: 'big', method: 'x'.repeat(1_000_000) });
    const hostile = ['{"jsonrpc":"2.0","id":', 'nonsense', '[]', '{}', long, ''].join('\n');
    await new Promise((resolve) => child.stdin.write(hostile, resolve));
    const editor = await openEditor(child);
    await expect(editor.agent.request('session/nope', {})).rejects.toMatchObject({ code: -32601 });
    const { sessionId } = await editor.open(bench.folder);
    expect(await editor.prompt(sessionId, 'Hello?')).toBe('end_turn');
    expect(editor.text(sessionId)).toBe('Still here.');
    jest.restoreAllMocks();
  });

  test('closing the pipe saves the run and ends the ACP process with exit code 0', async () => {
    const bench = await setUp([act('run_command(command="touch began; sleep 60")')], files);
    const child = start(bench);
    const editor = await openEditor(child, { permission: async () => choose('allow') });
    const { sessionId } = await editor.open(bench.folder);
    void editor.prompt(sessionId, 'Go').catch(() => undefined);
    await until(() => existsSync(join(bench.folder, 'began')));
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
    const next = await openEditor(start(bench));
    const { sessions } = await next.agent.request('session/list', { cwd: bench.folder });
    expect(sessions).toMatchObject([{ sessionId, title: 'Go' }]);
  });

  test('a tool module that prints does not break the ACP output', async () => {
    const bench = await setUp([], files);
    const module = join(bench.folder, 'tools.mjs');
    writeFileSync(
      module,
      'console.log("hello from a module"); process.stdout.write("raw\\n"); export const tools = [];',
    );
    const child = start(bench, ['--tools', module]);
    const lines = [
      { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: 1 } },
      { jsonrpc: '2.0', id: 1, method: 'session/new', params: { cwd: bench.folder, mcpServers: [] } },
    ];
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stdin.write(`${JSON.stringify(lines[0])}\n`);
    while (!output.includes('\n')) await once(child.stdout, 'data');
    child.stdin.write(`${JSON.stringify(lines[1])}\n`);
    while (!output.includes('sessionId')) await once(child.stdout, 'data');
    const { code, stderr } = await ended(child);
    expect(code).toBe(0);
    for (const line of output.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(stderr).toContain('hello from a module');
  });
});
