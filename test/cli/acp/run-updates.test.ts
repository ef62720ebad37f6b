import { describe, expect, test } from '@jest/globals';
import { RunUpdates } from '../../../src/cli/acp/updates/run-updates.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import { answered } from '../../support/test-service.js';

const event = (told: object) => ({ step: 1, ...told }) as RunEvent; // the fields that are read
const turn = event({ type: 'agent_turn_start', phase: null, iterations_left: 1 });
const delta = (part: 'draft' | 'thought' | 'answer', text: string) =>
  event({ type: `${part}_delta`, delta: text });
const retry = event({ type: 'agent_error', error: { message: 'Busy.' }, retry_in_ms: 1_000 });
const reply = event({
  type: 'agent_reason',
  response: { ...answered, thought: null, direct_response: 'It is 42.', usage: null },
});

/** The texts that an editor has been sent, in order. */
function textsOf(...events: readonly RunEvent[]): string[] {
  const updates = new RunUpdates({ folder: '/x', prefix: 'p', tokenLimit: 100 });
  return events
    .flatMap((each) => updates.of(each))
    .flatMap((update) =>
      'content' in update && update.content && 'text' in update.content ? [update.content.text] : [],
    );
}

describe('the texts of a run in an editor (rule: acp)', () => {
  test('a reply that was streamed is not sent again', () => {
    expect(textsOf(turn, delta('draft', 'It is '), delta('answer', '42.'), reply)).toEqual(['It is ', '42.']);
  });

  test('a reply after a try that failed before its first word is not sent again', () => {
    const texts = textsOf(turn, retry, delta('answer', 'It is 42.'), reply);
    expect(texts).toEqual(['Busy. Trying again in 1 s.', 'It is 42.']);
  });

  test('a reply after a try that failed in mid-sentence is sent again as a whole', () => {
    const texts = textsOf(turn, delta('answer', 'It '), retry, delta('answer', 'It is 42.'), reply);
    expect(texts.slice(-3)).toEqual(['It is 42.', '\n\n(read again as a whole:)\n\n', 'It is 42.']);
  });

  test('a failed try of an earlier step does not repeat the reply of a later one', () => {
    const first = [turn, delta('answer', 'It '), retry, delta('answer', 'It is 42.'), reply];
    expect(textsOf(...first, turn, delta('answer', 'It is 42.'), reply).at(-2)).not.toContain('read again');
  });
});
