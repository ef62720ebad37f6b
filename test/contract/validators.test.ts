import { describe, expect, test } from '@jest/globals';
import { actionAnswer, finalAnswer } from '../../src/contract/openapi/examples/answers.js';
import { failureExamples } from '../../src/contract/openapi/examples/failures.js';
import { firstStep, lastStep, maskHistory } from '../../src/contract/openapi/examples/requests.js';
import { breaches } from '../support/contract-check.js';

const turn = { role: 'user', content: 'Why?' };

describe('a strict validator that has the document alone takes', () => {
  test.each([
    [
      'an answer with null for what is not there',
      'Step',
      { ...actionAnswer, action_details: null, parse: null },
    ],
    [
      'an answer without what may be null',
      'Step',
      { session_id: 'a', status: 'error', iterations_remaining: 0 },
    ],
    ['an answer with an error', 'ErrorResponse', failureExamples.invalid_request],
    ['fields of a newer service', 'Step', { ...finalAnswer, later: { more: 1 } }],
    ['a status of a newer service', 'Step', { ...finalAnswer, status: 'postponed' }],
    ['a turn of a kind and a role of a newer service', 'Turn', { ...turn, role: 'critic', kind: 'review' }],
    [
      'a turn with null for what is not there',
      'Turn',
      { ...turn, kind: null, toolCall: null, toolResult: null },
    ],
    [
      'a request with null for what is left out',
      'StepRequest',
      { ...firstStep, protocol: null, include: null },
    ],
    [
      'a request with what it may have',
      'StepRequest',
      { ...lastStep, protocol: 'xml', include: { report: 'full' } },
    ],
  ])('%s', (_, component, body) => {
    expect(breaches(component, body)).toBe('');
  });
});

describe('and refuses', () => {
  test.each([
    [
      'null for what must be there',
      'Step',
      { ...actionAnswer, session_id: null },
      '/session_id must be string',
    ],
    [
      'an answer without its status',
      'Step',
      { session_id: 'a', iterations_remaining: 0 },
      "property 'status'",
    ],
    ['an action that is a list', 'Step', { ...actionAnswer, action_details: [] }, '/action_details'],
    [
      'an action without its name',
      'Step',
      { ...actionAnswer, action_details: { id: 'a' } },
      "property 'tool_name'",
    ],
    ['null among the turns', 'Step', { ...actionAnswer, new_turns: [null] }, '/new_turns/0 must be object'],
    [
      'a number that is no int32',
      'Step',
      { ...actionAnswer, iterations_remaining: 2 ** 31 },
      'format "int32"',
    ],
    [
      'a failure without its error',
      'ErrorResponse',
      { ...actionAnswer, error: null },
      '/error must be object',
    ],
    ['an enum value that no request has', 'StepRequest', { ...firstStep, protocol: 'yaml' }, '/protocol'],
    ['a project that is no UUID', 'StepRequest', { ...firstStep, project_id: 'shop' }, 'format "uuid"'],
    ['a negative limit', 'StepRequest', { ...firstStep, max_iterations_left: -1 }, 'must be >= 0'],
    ['a strategy that nobody knows', 'CompactionRequest', { ...maskHistory, strategy: 'drop' }, '/strategy'],
  ])('%s', (_, component, body, problem) => {
    expect(breaches(component, body)).toContain(problem);
  });
});
