import { describe, expect, test } from '@jest/globals';
import { tasksFor } from '../../../src/sdk/run/take-up-history.js';

const tasks = [{ id: 1, content: 'Read', status: 'todo' as const }];
const asked = [
  { role: 'user' as const, content: 'Paint it' },
  {
    role: 'assistant' as const,
    content: '',
    toolCall: { name: 'request_input', parameters: { question: 'Which colour?' }, id: 'call_1' },
  },
];

describe('tasksFor (rule: client-tools)', () => {
  test('a new task of a conversation starts with an empty TODO list', () => {
    const history = [{ role: 'user' as const, content: 'Paint it' }];
    expect(tasksFor('Now the door', { history, tasks })).toEqual([]);
  });

  test('a first task keeps the TODO list that the caller gave', () => {
    expect(tasksFor('Paint it', { history: [], tasks })).toEqual(tasks);
  });

  test('the answer to a question of the model keeps the TODO list', () => {
    expect(tasksFor('Red', { history: asked, tasks })).toEqual(tasks);
  });

  test('a run that continues without a new task keeps the TODO list', () => {
    expect(tasksFor('', { history: asked, tasks })).toEqual(tasks);
  });
});
