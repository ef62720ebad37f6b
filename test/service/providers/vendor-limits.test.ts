import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { inVendorLimits } from '../../../src/service/providers/vendor-limits.js';
import type { Message } from '../../../src/service/step/provider.js';
import { completionRequest, toolOf } from '../../support/providers/requests.js';

const anyToolName = fc.oneof(
  fc.constantFrom('fs.read', 'fs_read', 'fs-read', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(128)),
  fc.stringMatching(/^[\w.-]{1,128}$/),
);
const anyTools = fc
  .uniqueArray(anyToolName, { maxLength: 12 })
  .map((names) => names.map((name) => toolOf(name)));

const named = (definitions: ReturnType<typeof toolOf>[], messages: readonly Message[] = []) =>
  inVendorLimits(
    completionRequest({
      nativeTools: { definitions, choice: 'auto' },
      prompt: { system: '', systemBreakpoint: false, messages },
    }),
  );

const callTo = (name: string): Message => ({
  role: 'assistant',
  parts: [{ type: 'tool_call', id: 'c', name, arguments: {} }],
});

describe('tool names for vendors (rule: native-calling)', () => {
  test('tool names are mapped to unique names that both vendors allow, and back', () => {
    fc.assert(
      fc.property(anyTools, (tools) => {
        const { definitions, ownToolName } = named(tools);
        const names = definitions.map(({ name }) => name);
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(new Set(names).size).toBe(tools.length);
        expect(names.map((name) => ownToolName(name))).toEqual(tools.map(({ name }) => name));
      }),
    );
  });

  test('the mapping of tool names does not depend on earlier calls', () => {
    fc.assert(
      fc.property(anyTools, fc.array(fc.oneof(anyToolName, fc.string({ minLength: 1 }))), (tools, called) => {
        expect(named(tools, called.map(callTo)).definitions).toEqual(named(tools).definitions);
      }),
    );
  });

  test('a tool name that vendors allow is not changed', () => {
    const { definitions } = named([toolOf('fs.read'), toolOf('fs_read')]);
    expect(definitions.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^fs_read_[0-9a-f]{12}$/),
      'fs_read',
    ]);
  });

  test('calls in the history are sent under the mapped names of their tools', () => {
    const { prompt } = named([toolOf('fs.read')], [callTo('fs.read'), callTo('gone tool')]);
    expect(prompt.messages.flatMap(({ parts }) => parts.map((part) => 'name' in part && part.name))).toEqual([
      'fs_read',
      'gone_tool',
    ]);
  });
});

test('10,000 calls with one id get unique ids, and each result gets the id of its call (rule: linear-work)', () => {
  const count = 10_000;
  const call = { type: 'tool_call', id: 'same', name: 'f', arguments: {} } as const;
  const result = { type: 'tool_result', callId: 'same', text: '', isError: false } as const;
  const { prompt } = inVendorLimits(
    completionRequest({
      prompt: {
        system: '',
        systemBreakpoint: false,
        messages: [
          { role: 'assistant', parts: Array.from({ length: count }, () => call) },
          { role: 'user', parts: Array.from({ length: count }, () => result) },
        ],
      },
    }),
  );
  const [calls, results] = prompt.messages.map(({ parts }) =>
    parts.map((part) => ('id' in part ? part.id : 'callId' in part && part.callId)),
  );
  expect(new Set(calls).size).toBe(count);
  expect(results).toEqual(calls);
});
