import { describe, expect, test } from '@jest/globals';
import { RunUpdates } from '../../../src/cli/acp/updates/run-updates.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import { answered } from '../../support/test-service.js';

const event = (fields: object) => ({ step: 1, ...fields }) as RunEvent; // cast: the code under test reads only these fields
const turn = event({ type: 'agent_turn_start', phase: null, iterationsLeft: 1 });
const delta = (part: 'draft' | 'thought' | 'answer', text: string) =>
  event({ type: `${part}_delta`, delta: text });
const retry = event({ type: 'agent_error', error: { message: 'Busy.' }, retryInMs: 1_000 });
const reply = event({
  type: 'agent_reason',
  response: { ...answered, thought: null, direct_response: 'It is 42.', usage: null },
});

/** Returns the texts sent to the editor, in order. */
function textsOf(...events: readonly RunEvent[]): string[] {
  const updates = new RunUpdates({ folder: '/x', prefix: 'p', tokenLimit: 100 });
  return events
    .flatMap((each) => updates.updatesFor(each))
    .flatMap((update) =>
      'content' in update && update.content && 'text' in update.content ? [update.content.text] : [],
    );
}

describe('the texts of a run in an editor (rule: acp)', () => {
  test('an editor does not get a reply a second time after it was streamed', () => {
    expect(textsOf(turn, delta('draft', 'It is '), delta('answer', '42.'), reply)).toEqual(['It is ', '42.']);
  });

  test('an editor does not get a streamed reply a second time if an earlier attempt failed before streaming any text', () => {
    const texts = textsOf(turn, retry, delta('answer', 'It is 42.'), reply);
    expect(texts).toEqual(['Busy. Retrying in 1 s.', 'It is 42.']);
  });

  test('an editor gets the full reply a second time if an earlier attempt failed after streaming some text', () => {
    const texts = textsOf(turn, delta('answer', 'It '), retry, delta('answer', 'It is 42.'), reply);
    expect(texts.slice(-3)).toEqual(['It is 42.', '\n\n(the full reply, as parsed:)\n\n', 'It is 42.']);
  });

  test('an editor gets only the answer of a reply if the thought was already streamed', () => {
    const response = { ...answered, thought: 'I know.', direct_response: 'It is 42.', usage: null };
    const both = event({ type: 'agent_reason', response });
    expect(textsOf(turn, delta('draft', 'I know.'), both)).toEqual(['I know.', 'It is 42.']);
  });

  test('an editor gets a heading for each phase of the strict strategy', () => {
    const phases = ['reason', 'act', 'observe'].map((phase) =>
      event({ type: 'agent_turn_start', phase, iterationsLeft: 1 }),
    );
    expect(textsOf(...phases).map((text) => text.trim())).toEqual(['**Reason**', '**Act**', '**Observe**']);
  });

  const warned = (message: string) =>
    event({ type: 'agent_reason', response: { ...answered, warnings: [{ code: 'cut', message }] } });

  test('an editor gets only the first warning of each kind', () => {
    const texts = textsOf(turn, warned('Raise num_ctx.'), turn, warned('Raise num_ctx to 9.'));
    expect(texts.filter((text) => text.includes('Warning'))).toEqual(['\n\nWarning: Raise num_ctx.\n\n']);
  });

  test.each([
    ['It is 42.', 0],
    ['The task could not be finished.\n\nIt is 42.', 1],
  ])('at the end of a run, an editor gets the answer only if no earlier reply contained it: %j', (answer, count) => {
    const end = event({
      type: 'agent_completion',
      result: { answer, stopReason: 'step_limit', history: [] },
    });
    const texts = textsOf(turn, delta('answer', 'It is 42.'), reply, end);
    expect(texts).toEqual(['It is 42.', ...(count === 1 ? [answer] : [])]);
  });

  test('an editor does not get a streamed reply a second time if the failed attempt belongs to an earlier step', () => {
    const first = [turn, delta('answer', 'It '), retry, delta('answer', 'It is 42.'), reply];
    expect(textsOf(...first, turn, delta('answer', 'It is 42.'), reply).at(-2)).not.toContain(
      'the full reply',
    );
  });
});
