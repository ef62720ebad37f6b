import { describe, expect, test } from '@jest/globals';
import { actionAnswer, finalAnswer } from '../../src/contract/openapi/examples/answers.js';
import { failureExamples } from '../../src/contract/openapi/examples/failures.js';
import { firstStep, lastStep, maskHistory } from '../../src/contract/openapi/examples/requests.js';
import { breaches } from '../support/contract-check.js';

const turn = { role: 'user', content: 'Why?' };

describe('openapi.yaml in a strict validator: accepted bodies', () => {
  test.each([
    [
      'an answer with null in nullable fields',
      'Step',
      { ...actionAnswer, action_details: null, parse: null },
    ],
    [
      'an answer without its nullable fields',
      'Step',
      { session_id: 'a', status: 'error', iterations_remaining: 0 },
    ],
    ['an answer with an error', 'ErrorResponse', failureExamples.invalid_request],
    ['an answer with unknown fields', 'Step', { ...finalAnswer, later: { more: 1 } }],
    ['an answer with an unknown status', 'Step', { ...finalAnswer, status: 'postponed' }],
    ['a turn of an unknown kind and role', 'Turn', { ...turn, role: 'critic', kind: 'review' }],
    [
      'a turn with null in nullable fields',
      'Turn',
      { ...turn, kind: null, toolCall: null, toolResult: null },
    ],
    [
      'a request with null in optional fields',
      'StepRequest',
      { ...firstStep, protocol: null, include: null },
    ],
    [
      'a request with optional fields',
      'StepRequest',
      { ...lastStep, protocol: 'xml', include: { report: 'full' } },
    ],
  ])('openapi.yaml accepts %s', (_, component, body) => {
    expect(breaches(component, body)).toBe('');
  });
});

describe('openapi.yaml in a strict validator: rejected bodies', () => {
  test.each([
    ['null in a required field', 'Step', { ...actionAnswer, session_id: null }, '/session_id must be string'],
    [
      'an answer without its status',
      'Step',
      { session_id: 'a', iterations_remaining: 0 },
      "property 'status'",
    ],
    ['an array as an action', 'Step', { ...actionAnswer, action_details: [] }, '/action_details'],
    [
      'an action without its name',
      'Step',
      { ...actionAnswer, action_details: { id: 'a' } },
      "property 'tool_name'",
    ],
    ['null as a turn', 'Step', { ...actionAnswer, new_turns: [null] }, '/new_turns/0 must be object'],
    ['a number beyond int32', 'Step', { ...actionAnswer, iterations_remaining: 2 ** 31 }, 'format "int32"'],
    [
      'a failure without an error',
      'ErrorResponse',
      { ...actionAnswer, error: null },
      '/error must be object',
    ],
    ['an unknown enum value in a request', 'StepRequest', { ...firstStep, protocol: 'yaml' }, '/protocol'],
    ['a project id that is not a UUID', 'StepRequest', { ...firstStep, project_id: 'shop' }, 'format "uuid"'],
    ['a negative limit', 'StepRequest', { ...firstStep, max_iterations_left: -1 }, 'must be >= 0'],
    [
      'an unknown compaction strategy',
      'CompactionRequest',
      { ...maskHistory, strategy: 'drop' },
      '/strategy',
    ],
  ])('openapi.yaml rejects %s', (_, component, body, problem) => {
    expect(breaches(component, body)).toContain(problem);
  });
});
