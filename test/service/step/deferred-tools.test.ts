import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compactionRequestSchema } from '../../../src/contract/compaction.js';
import type { TurnInput } from '../../../src/contract/history.js';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import type { ToolDefinitionInput } from '../../../src/contract/tool.js';
import { llamaSchema, openaiSchema } from '../../../src/service/providers/models/schema-dialects.js';
import { compactHistory } from '../../../src/service/step/compaction/compact-history.js';
import { StepRefused } from '../../../src/service/step/interruption.js';
import type {
  Completion,
  CompletionRequest,
  Message,
  ModelProfile,
} from '../../../src/service/step/provider.js';
import { reactStep, type StepObserver, type StepResult } from '../../../src/service/step/react-step.js';
import type { RenderedPrompt } from '../../../src/service/step/render-prompt.js';
import { createTokenCounter } from '../../../src/tokens/token-counter.js';
import { completionOf } from '../../support/completion.js';
import { prepare, profile, textOf, untraced } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

const readFile: ToolDefinitionInput = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const createIssue: ToolDefinitionInput = {
  name: 'create_issue',
  description: 'Creates an issue in a repository. Labels are optional.',
  inputSchema: {
    type: 'object',
    properties: {
      repository: { type: 'string' },
      heading: { type: 'string', description: 'what it is about' },
    },
    required: ['repository', 'heading'],
  },
  annotations: { requiresApproval: true },
  defer: true,
};

const sendMail: ToolDefinitionInput = {
  name: 'send_mail',
  description: 'Sends a mail',
  inputSchema: { type: 'object', properties: { recipient: { type: 'string' } }, required: ['recipient'] },
  defer: true,
};

const tools = [readFile, createIssue, sendMail];
const issueCall = { repository: 'shop', heading: 'Totals are wrong' };

/** Returns the turns of a step that called `find_tools`, and the client's answer. */
const discovery = (names: readonly string[], id = 'find_1'): TurnInput[] => [
  {
    role: 'assistant',
    content: 'I look for a tool.',
    toolCall: { name: 'find_tools', parameters: { query: 'x' }, id },
  },
  {
    role: 'tool_observation',
    content: `Found: ${names.join(', ')}`,
    toolCallId: id,
    toolResult: { success: true },
    tool_definitions: names.map((name) => ({ name })),
  },
];

const task: TurnInput = { role: 'user', content: 'Report the bug.' };
const found = [task, ...discovery(['create_issue'])];

interface Trial {
  readonly asked?: Partial<ModelProfile>;
  readonly isStreamed?: boolean;
  readonly onRequest?: (request: CompletionRequest) => void;
}

const silent: StepObserver = {
  contextBuilt: async () => {},
  delta: async () => {},
  actionProposed: async () => {},
};

/** Makes a step whose model replies with the given completion. */
async function stepWith(
  fields: Partial<StepRequestInput>,
  changes: Partial<Completion>,
  { asked = {}, isStreamed = false, onRequest = () => {} }: Trial = {},
): Promise<StepResult> {
  const completion = completionOf(changes.text ?? '', changes);
  const provider = {
    name: 'test',
    complete: async (request: CompletionRequest) => {
      onRequest(request);
      return completion;
    },
    stream: async function* (request: CompletionRequest) {
      onRequest(request);
      for (const delta of completion.text.match(/[\s\S]{1,5}/g) ?? []) yield { type: 'text', delta } as const;
      yield { type: 'completion', completion } as const;
    },
  };
  const dependencies = {
    provider,
    profile: { ...profile, ...asked },
    tokens: createTokenCounter('o200k_base'),
    deadline: { signal: new AbortController().signal, remainingMs: () => 60_000 },
    sources: [],
    during: untraced,
    now: () => new Date(),
    redact: (text: string) => text,
  };
  return reactStep(
    stepRequest({ tools, user_query: '', conversation_history: [task], ...fields }),
    dependencies,
    isStreamed ? silent : undefined,
  );
}

type Protocol = 'text' | 'xml' | 'json' | 'native';

/** Returns a call in the form that the protocol asks for. */
function writeCall(
  protocol: Protocol,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Partial<Completion> {
  const json = JSON.stringify(args);
  switch (protocol) {
    case 'text': {
      const list = Object.entries(args).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      return { text: `Thought: now.\nAction: ${name}(${list.join(', ')})` };
    }
    case 'xml':
      return { text: `Now.\n<tool_code><name>${name}</name><parameters>${json}</parameters></tool_code>` };
    case 'json':
      return { text: JSON.stringify({ thought: 'now', action: { tool: name, args } }) };
    case 'native':
      return { toolCalls: [{ id: 'a', name, arguments: json }] };
  }
}

const promptText = ({ prompt }: RenderedPrompt): string =>
  prompt.system + prompt.messages.map(textOf).join('');

/** Returns the text of a prompt before its tail, the part that differs in each step. */
const stableBytes = ({ prompt, stable }: RenderedPrompt): string =>
  prompt.system +
  stable
    .map(({ role, parts }: Message) =>
      `\n${role}\n${JSON.stringify(parts, ['type', 'text', 'id', 'callId', 'name', 'arguments', 'query'])}`.replace(
        /\]$/,
        '',
      ),
    )
    .join('');

const protocols = ['text', 'xml', 'json', 'native'] as const;

describe.each(protocols)('deferred tools with protocol %s', (protocol) => {
  test(`the schema of a deferred tool is not in a ${protocol} prompt, which names the tool in one line (rules: deferred-tools, deferred-list)`, async () => {
    const prepared = await prepare(stepRequest({ tools, protocol }));
    const text = promptText(prepared);
    expect(text).toContain('- create_issue: Creates an issue in a repository.\n');
    expect(text).toContain('- send_mail: Sends a mail\n');
    expect(text).not.toContain('recipient');
    expect(text).not.toContain('Labels are optional');
    expect(prepared.report.items).toContainEqual(
      expect.objectContaining({
        kind: 'tool',
        id: 'find_tools',
        status: 'deferred',
        reason: '2 tools are deferred; searches found 0; the prompt lists 2 by name',
      }),
    );
  });

  test.each([
    false,
    true,
  ])(`a ${protocol} call of find_tools is proposed without approval, streamed: %s (rule: deferred-tools)`, async (isStreamed) => {
    const step = await stepWith({ protocol }, writeCall(protocol, 'find_tools', { query: 'issues' }), {
      isStreamed,
    });
    expect(step).toMatchObject({
      status: 'action_proposed',
      action_details: { tool_name: 'find_tools', tool_args: { query: 'issues' }, requires_approval: false },
    });
  });

  test.each([
    false,
    true,
  ])(`a ${protocol} call of a deferred tool before its discovery has the outcome unknown_tool, and the correction shows how to call find_tools, streamed: %s (rule: not-found-yet)`, async (isStreamed) => {
    const step = await stepWith({ protocol }, writeCall(protocol, 'create_issue', issueCall), { isStreamed });
    expect(step.status).toBe('direct_response_provided');
    expect(step.parse).toMatchObject({
      outcome: 'unknown_tool',
      problem: 'tool `create_issue` cannot be called yet: find it with find_tools first',
    });
    expect(step.correction?.content).toMatch(/find_tools.*create_issue/s);
    const call = step.correction?.content.split('\n').slice(1).join('\n') ?? '';
    const next = protocol === 'native' ? {} : { text: call };
    if (protocol !== 'native')
      expect(await stepWith({ protocol }, next)).toMatchObject({
        action_details: { tool_name: 'find_tools', tool_args: { query: 'create_issue' } },
      });
  });

  test.each([
    false,
    true,
  ])(`a found tool can be called in ${protocol}, with its schema and its annotations, streamed: %s (rule: found-tools)`, async (isStreamed) => {
    const step = await stepWith(
      { protocol, conversation_history: found },
      writeCall(protocol, 'create_issue', issueCall),
      { isStreamed },
    );
    expect(step).toMatchObject({
      status: 'action_proposed',
      action_details: { tool_name: 'create_issue', tool_args: issueCall, requires_approval: true },
    });
    const unfit = await stepWith(
      { protocol, conversation_history: found },
      writeCall(protocol, 'create_issue', { repository: 'shop' }),
      { isStreamed },
    );
    expect(unfit.parse).toMatchObject({ outcome: 'malformed_action' });
    const other = await stepWith(
      { protocol, conversation_history: found },
      writeCall(protocol, 'send_mail', { recipient: 'a' }),
      { isStreamed },
    );
    expect(other.parse).toMatchObject({ outcome: 'unknown_tool' });
  });

  test(`in the last step, a ${protocol} call of find_tools is withheld like any other call (rule: last-iteration)`, async () => {
    const step = await stepWith(
      { protocol, max_iterations_left: 1 },
      writeCall(protocol, 'find_tools', { query: 'issues' }),
    );
    expect(step.parse?.outcome).toBe('action_after_limit');
  });

  test(`all phases of ${protocol} have the same tools, and the phase act can find and call them (rules: phases, deferred-tools)`, async () => {
    const prompts = await Promise.all(
      (['reason', 'act', 'observe'] as const).map((phase) =>
        prepare(stepRequest({ tools, protocol, phase })),
      ),
    );
    expect(new Set(prompts.map(({ prompt }) => prompt.system)).size).toBe(1);
    const step = await stepWith(
      { protocol, phase: 'act', conversation_history: found },
      writeCall(protocol, 'create_issue', issueCall),
    );
    expect(step.action_details?.tool_name).toBe('create_issue');
  });
});

test.each([
  'text',
  'xml',
  'json',
] as const)('a %s prompt shows the definition of a found tool right after the observation that found it (rule: found-tools)', async (protocol) => {
  const prepared = await prepare(
    stepRequest({
      tools,
      protocol,
      user_query: '',
      conversation_history: [
        ...found,
        {
          role: 'assistant',
          content: 'x',
          toolCall: { name: 'read_file', parameters: { path: 'a' }, id: 'b' },
        },
      ],
    }),
  );
  const [system, ...messages] = [prepared.prompt.system, ...prepared.prompt.messages.map(textOf)];
  expect(system).not.toContain('what it is about');
  const at = messages.findIndex((text) => text.includes('what it is about'));
  expect(messages[at]).toMatch(
    /<\/observation [0-9a-f]+>\nThese tools can be called from now on:\n[\s\S]*create_issue/,
  );
  expect(prepared.report.items).toContainEqual(
    expect.objectContaining({
      kind: 'tool',
      id: 'create_issue',
      status: 'included',
      reason: 'found with find_tools',
    }),
  );
});

test('native calling appends found tools to the end of the tool list, in the order of their discovery (rule: found-tools)', async () => {
  const lists: string[][] = [];
  const onRequest = ({ nativeTools }: CompletionRequest) =>
    lists.push(nativeTools?.definitions.map(({ name }) => name) ?? []);
  for (const conversation_history of [
    [task],
    [task, ...discovery(['send_mail'])],
    [task, ...discovery(['send_mail']), ...discovery(['create_issue', 'send_mail'], 'find_2')],
  ])
    await stepWith(
      { protocol: 'native', conversation_history, answer_schema: { type: 'object' } },
      { text: '{}' },
      { onRequest },
    );
  expect(lists).toEqual([
    ['read_file', 'find_tools', 'final_answer'],
    ['read_file', 'find_tools', 'final_answer', 'send_mail'],
    ['read_file', 'find_tools', 'final_answer', 'send_mail', 'create_issue'],
  ]);
});

test('only found tools become branches of the schema that constrains a reply (rules: found-tools, reply-schema)', async () => {
  const schemas: string[] = [];
  const onRequest = ({ replySchema }: CompletionRequest) => schemas.push(JSON.stringify(replySchema));
  for (const structured of [openaiSchema, llamaSchema])
    for (const conversation_history of [[task], found])
      await stepWith(
        { protocol: 'json', conversation_history },
        { text: '{"thought":"a","final_answer":"b"}' },
        { asked: { structured }, onRequest },
      );
  for (const [before, after] of [schemas.slice(0, 2), schemas.slice(2)]) {
    expect(before).toContain('find_tools');
    expect(before).not.toContain('create_issue');
    expect(after).toContain('create_issue');
    expect(after).not.toContain('send_mail');
  }
});

test.each([
  'text',
  'xml',
  'json',
] as const)('finding tools changes no byte of the %s prompt before the observation that found them (rules: stable-prompt, found-tools)', async (protocol) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ name: fc.stringMatching(/^[a-z]{3,12}$/), words: fc.lorem({ maxCount: 30 }) }), {
        minLength: 1,
        maxLength: 60,
      }),
      fc.array(fc.array(fc.nat(59), { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom(8_000, 16_000),
      fc.boolean(),
      async (drawn, finds, tokenLimit, needsExample) => {
        const deferred = drawn.map(({ name, words }, index) => ({
          name: `${name}_${index}`,
          description: words,
          inputSchema: { type: 'object', properties: { [name]: { type: 'string', description: words } } },
          defer: true,
        }));
        const llm_config = { modelName: 'gpt-4o', tokenLimit, reservedOutputTokens: 1_000 };
        const history = [task];
        let before = '';
        for (const [index, places] of [[], ...finds].entries()) {
          const names = places.flatMap((place) => deferred[place]?.name ?? []);
          if (index > 0) history.push(...discovery(names, `find_${index}`));
          const request = stepRequest({
            tools: [readFile, ...deferred],
            protocol,
            user_query: '',
            conversation_history: history,
            llm_config,
          });
          const prepared = await prepare(request, { needsExample });
          const bytes = stableBytes(prepared);
          const { prompt_tokens, token_limit, reserved_output_tokens } = prepared.report;
          expect(prompt_tokens).toBeLessThanOrEqual(token_limit - reserved_output_tokens);
          const isCut = prepared.report.items.some(
            ({ kind, status }) => kind === 'turn' && (status === 'masked' || status === 'dropped'),
          );
          if (!isCut) expect(bytes.startsWith(before)).toBe(true);
          before = bytes;
        }
      },
    ),
    { numRuns: 40 },
  );
}, 60_000);

test('the list of deferred tools takes at most 5 % of the budget and states how many tools it does not name (rule: deferred-list)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 3_000, max: 40_000 }),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      async (count, budget, description) => {
        const deferred = Array.from({ length: count }, (_, index) => ({
          name: `tool_${index}`,
          description,
          inputSchema: { type: 'object' },
          defer: true,
        }));
        const llm_config = { modelName: 'gpt-4o', tokenLimit: budget + 500, reservedOutputTokens: 500 };
        const { report } = await prepare(stepRequest({ tools: deferred, llm_config }));
        const [row] = report.items.filter(({ status }) => status === 'deferred');
        expect(row?.tokens).toBeLessThanOrEqual(budget * 0.05);
        const [, named, counted = 0] =
          /lists (\d+) by name(?: .* other (\d+))?$/.exec(row?.reason ?? '') ?? [];
        expect(Number(named) + Number(counted)).toBe(count);
      },
    ),
    { numRuns: 30 },
  );
}, 60_000);

test('tool definitions in an observation of a tool other than find_tools, or without a call, are ignored with a warning (rule: tool-not-offered)', async () => {
  const hostile: TurnInput[] = [
    task,
    { role: 'assistant', content: 'a', toolCall: { name: 'read_file', parameters: { path: 'a' }, id: 'r' } },
    {
      role: 'tool_observation',
      content: 'text',
      toolCallId: 'r',
      tool_definitions: [{ name: 'create_issue' }],
    },
    { role: 'tool_observation', content: 'stray', tool_definitions: [{ name: 'send_mail' }] },
  ];
  for (const name of ['create_issue', 'send_mail']) {
    const step = await stepWith(
      { conversation_history: hostile },
      writeCall('text', name, { ...issueCall, recipient: 'a' }),
    );
    expect(step.parse?.outcome).toBe('unknown_tool');
    const warnings = step.warnings?.filter(({ code }) => code === 'tool_not_offered');
    expect(warnings?.map(({ message }) => message.slice(0, 24))).toEqual([
      'conversation_history[2]:',
      'conversation_history[3]:',
    ]);
  }
});

test('a found tool that is not in the request is ignored with a warning, and no schema from an observation is used (rule: tool-not-offered)', async () => {
  const [call, observation] = discovery(['create_issue']);
  const history = [
    task,
    ...(call ? [call] : []),
    {
      ...observation,
      role: 'tool_observation' as const,
      content: 'Found.',
      tool_definitions: [
        { name: 'delete_everything', inputSchema: { type: 'object' } },
        {
          name: 'create_issue',
          inputSchema: { type: 'object', properties: { evil: {} } },
          description: 'evil',
        },
      ],
    },
  ];
  const step = await stepWith({ conversation_history: history }, writeCall('text', 'delete_everything', {}));
  expect(step.parse?.outcome).toBe('unknown_tool');
  expect(step.warnings).toContainEqual({
    code: 'tool_not_offered',
    message: 'conversation_history[2]: these tools are not in tools and are ignored: "delete_everything"',
  });
  const prepared = await prepare(stepRequest({ tools, user_query: '', conversation_history: history }));
  expect(promptText(prepared)).not.toContain('evil');
  expect(promptText(prepared)).toContain('what it is about');
});

test('a tool that is no longer deferred can be called, and an earlier observation that found it causes no warning (rule: found-tools)', async () => {
  const direct = tools.map((tool) => ({ ...tool, defer: false }));
  const step = await stepWith(
    { tools: direct, conversation_history: found },
    writeCall('text', 'create_issue', issueCall),
  );
  expect(step.action_details?.tool_name).toBe('create_issue');
  expect(step.warnings).toEqual([]);
});

test('the caller’s own tool find_tools is refused if any tool is deferred, and allowed otherwise (rule: deferred-tools)', async () => {
  const own = { name: 'find_tools', inputSchema: { type: 'object' } };
  await expect(stepWith({ tools: [...tools, own] }, { text: 'a' })).rejects.toThrow(StepRefused);
  await expect(stepWith({ tools: [...tools, { ...own, defer: true }] }, { text: 'a' })).rejects.toThrow(
    StepRefused,
  );
  const step = await stepWith({ tools: [readFile, own] }, writeCall('text', 'find_tools', {}));
  expect(step.action_details?.tool_name).toBe('find_tools');
});

test('a signature in free text does not make a deferred tool callable (rule: deferred-tools)', async () => {
  const step = await stepWith(
    { available_tools_prompt_segment: 'create_issue(repository, heading): creates one' },
    writeCall('text', 'create_issue', issueCall),
  );
  expect(step.parse?.outcome).toBe('unknown_tool');
});

test.each([
  '<tool_call>\n{"name": "create_issue", "arguments": {}}\n</tool_call>',
  '[TOOL_CALLS]create_issue[ARGS]{"repository": "shop", "heading": "x"}',
  '<function=create_issue><parameter=repository>shop</parameter></function>',
  'create_issue(repository="shop", heading="x")',
  '[create_issue(repository="shop", heading="x")]',
  '{"name": "create_issue", "arguments": {"repository": "shop", "heading": "x"}}',
])('a deferred tool that a model calls in the format %j is an unknown tool, never an answer (rule: not-found-yet)', async (text) => {
  for (const isStreamed of [false, true]) {
    const step = await stepWith({}, { text }, { isStreamed });
    expect(step.parse?.outcome).toBe('unknown_tool');
    expect(step.correction?.content).toContain('find_tools(query="create_issue")');
  }
});

test('a found tool stays callable after its definition has left the prompt, and the report lists it (rules: found-tools, deferred-report)', async () => {
  const lines = Array.from({ length: 120 }, (_, line) => `line ${line} of a long result`).join('\n');
  const reads = Array.from({ length: 12 }, (_, index): TurnInput[] => [
    {
      role: 'assistant',
      content: 'I read.',
      toolCall: { name: 'read_file', parameters: { path: 'a' }, id: `r${index}` },
    },
    { role: 'tool_observation', content: lines, toolCallId: `r${index}` },
  ]).flat();
  const fields = { conversation_history: [...found, ...reads], include: { report: 'full' as const } };
  const step = await stepWith(fields, writeCall('text', 'create_issue', issueCall));
  expect(step.action_details?.tool_name).toBe('create_issue');
  expect(step.context_report?.items).toContainEqual(
    expect.objectContaining({ kind: 'tool', id: 'create_issue', status: 'dropped', tokens: 0 }),
  );
  const again = await prepare(
    stepRequest({
      tools,
      user_query: '',
      ...fields,
      conversation_history: [...fields.conversation_history, ...discovery(['create_issue'], 'find_2')],
    }),
  );
  expect(promptText(again)).toContain('what it is about');
  expect(again.report.items).toContainEqual(
    expect.objectContaining({ kind: 'tool', id: 'create_issue', status: 'included' }),
  );
});

test('a search that finds 1,000 tools fits the budget: tools whose definitions do not fit are named or counted, and can be called (rule: found-tools)', async () => {
  const many = Array.from({ length: 1_000 }, (_, index) => ({
    ...createIssue,
    name: `tool_${index}`,
  }));
  const names = many.map(({ name }) => name);
  const step = await stepWith(
    { tools: many, conversation_history: [task, ...discovery(names)] },
    writeCall('text', 'tool_999', issueCall),
  );
  expect(step.action_details?.tool_name).toBe('tool_999');
  const { prompt_tokens = 0 } = step.context_report ?? {};
  expect(prompt_tokens).toBeLessThanOrEqual(7_000);
});

test('without deferred tools, no part of the prompt mentions find_tools (rule: deferred-tools)', async () => {
  const { prompt, report } = await prepare(stepRequest({ tools: [readFile, { ...sendMail, defer: null }] }));
  expect(JSON.stringify(prompt)).not.toContain('find_tools');
  expect(report.items.filter(({ kind }) => kind === 'tool')).toEqual([]);
});

test('after a compaction by masking, found tools are still known (rules: found-tools, compaction-mask)', async () => {
  const long = { content: `Found: create_issue\n${'text of a long result\n'.repeat(200)}` };
  const turns = found.map((turn) => (turn.tool_definitions ? { ...turn, ...long } : turn));
  const reads = Array.from({ length: 6 }, (_, index): TurnInput[] => [
    {
      role: 'assistant',
      content: 'I read.',
      toolCall: { name: 'read_file', parameters: { path: 'a' }, id: `r${index}` },
    },
    { role: 'tool_observation', content: 'text', toolCallId: `r${index}` },
  ]).flat();
  const request = compactionRequestSchema.parse({
    ...stepRequest({}),
    conversation_history: [...turns, ...reads],
    target_tokens: 200,
    strategy: 'mask',
  });
  const { conversation_history, changed } = await compactHistory(request, {
    profile,
    tokens: createTokenCounter('o200k_base'),
    deadline: { signal: new AbortController().signal, remainingMs: () => 60_000 },
    connect: () => {
      throw new Error('masking needs no model');
    },
  });
  expect(changed).toBe(true);
  expect(JSON.stringify(conversation_history)).not.toContain('text of a long result');
  const step = await stepWith({ conversation_history }, writeCall('text', 'create_issue', issueCall));
  expect(step.action_details?.tool_name).toBe('create_issue');
});
