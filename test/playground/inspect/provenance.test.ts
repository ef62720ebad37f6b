import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Parse, Step } from '../../../src/contract/step.js';
import { provenanceOf } from '../../../src/playground/inspect/reply/provenance.js';
import { anyText } from '../../support/parsing/arbitraries.js';
import { stepRequest } from '../../support/step-request.js';
import { startWholeService } from '../../support/whole-service.js';

const tools = [
  {
    name: 'search_code',
    inputSchema: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
  },
];
const request = stepRequest({ tools });

type Reply = Parameters<typeof provenanceOf>[0];
const reply = (completion_text: string, fields: Partial<Reply> = {}): Reply => ({
  completion_text,
  finish_reason: 'stop',
  parse: null,
  phase: null,
  thought: null,
  direct_response: null,
  ...fields,
});

const exact: Pick<Parse, 'confidence' | 'repairs' | 'discarded' | 'problem'> = {
  confidence: 'exact',
  repairs: [],
  discarded: [],
  problem: null,
};

const kinds = ({ pieces }: ReturnType<typeof provenanceOf>) =>
  pieces.filter(({ kind }) => kind !== 'markup').map(({ kind, text }) => `${kind}: ${text}`);

describe('provenance of a reply (rule: playground-inspector)', () => {
  test('the fragments of a reply add up to the reply, whatever the model wrote', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.constantFrom<Step['phase']>(null, 'reason', 'observe', 'act'),
        (text, phase) => {
          const { pieces } = provenanceOf(reply(text, { phase, thought: text.slice(3, 9) }), request);
          expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        },
      ),
    );
  });

  test('the fragments of a reply match the service’s response', async () => {
    const text = 'Thought: I look.\nAction: search_code(pattern="a")\nObservation: made up';
    const service = await startWholeService({ text });
    try {
      const asked = {
        tools,
        include: { completion_text: true },
        llm_config: { modelName: 'gpt-4o', tokenLimit: 8_000, reservedOutputTokens: 500 },
      };
      const { body } = await service.step(asked);
      const provenance = provenanceOf(body, request);
      expect(kinds(provenance)).toEqual([
        `thought: ${body.thought}`,
        'call: search_code(pattern="a")',
        'discarded: Observation: made up',
      ]);
      expect(provenance.otherwise).toBeNull();
    } finally {
      await service.close();
    }
  });

  test('the fragments of a JSON reply separate the thought from the call around it', () => {
    const object = JSON.stringify({
      thought: 'I "look".',
      action: { tool: 'search_code', args: { pattern: 'a' } },
    });
    expect(kinds(provenanceOf(reply(object), request))).toEqual([
      'call: {"thought":"',
      'thought: I \\"look\\".',
      'call: ","action":{"tool":"search_code","args":{"pattern":"a"}}}',
    ]);
  });

  test.each([
    '{"tool": "search_code", "args": {"thought": "I look.", "pattern": "a"}}',
    '{"thought": null, "action": {"tool": "search_code", "args": {"thought": "I look.", "pattern": "a"}}}',
    '{"action": {"tool": "search_code", "args": {"pattern": "a", "why": [{"thought": "I look."}]}}}',
    'Final Answer: {"thought": "I look.", "pattern": "a"}',
  ])('a nested `thought` in a JSON reply is not marked as the thought: %s', (object) => {
    expect(kinds(provenanceOf(reply(object), request)).join()).not.toContain('thought: I look.');
  });

  test('in a reply of the reason phase, only the text before the JSON control block is the thought', () => {
    const text = 'I would look first.\n{"plan": "look", "finish": false}';
    const read = provenanceOf(reply(text, { phase: 'reason', thought: 'I would look first.' }), request);
    expect(kinds(read)).toEqual(['thought: I would look first.']);
  });

  test('with native tool calling the whole text of a reply is the thought', () => {
    const native: Parse = { ...exact, outcome: 'action', dialect: 'native' };
    expect(kinds(provenanceOf(reply('Action: none here', { parse: native }), request))).toEqual([
      'thought: Action: none here',
    ]);
  });

  test('the page reports when it parses a reply differently from the service', () => {
    const said: Parse = { ...exact, outcome: 'answer', dialect: null };
    const text = 'Action: search_code(pattern="a")';
    expect(provenanceOf(reply(text, { parse: said }), request).otherwise).toBe('action');
    const late: Parse = { ...said, outcome: 'action_after_limit' };
    expect(provenanceOf(reply(text, { parse: late }), request).otherwise).toBeNull();
  });
});
