import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TurnInput } from '../../../src/contract/history.js';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { isAttachment, withinBodyLimit } from '../../../src/sdk/base/attachments.js';
import { isTurn } from '../../../src/sdk/base/wire-shapes.js';
import { png } from '../../support/attachments.js';
import { stepRequest } from '../../support/whole-service.js';

const LIMIT = 4 * 2 ** 20;

const bytesOf = (request: StepRequestInput): number => Buffer.byteLength(JSON.stringify(request));

const image = (length: number) => ({ media_type: 'image/png' as const, data: 'A'.repeat(length * 4) });

const turns = fc.array(
  fc.record({ content: fc.lorem(), sizes: fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 3 }) }),
  { maxLength: 12 },
);

test('a request never passes 4 MiB because of attachments, the newest stay, and each lost one has a line (rule: attachment-limit)', () => {
  let cut = 0;
  fc.assert(
    fc.property(turns, (all) => {
      const history = all.map(
        ({ content, sizes }): TurnInput => ({
          role: 'tool_observation',
          content,
          ...(sizes.length > 0 && { attachments: sizes.map(image) }),
        }),
      );
      const request = stepRequest({ conversation_history: history });
      const kept = withinBodyLimit(request);
      expect(bytesOf({ ...request, conversation_history: [...kept] })).toBeLessThanOrEqual(LIMIT);
      if (bytesOf(request) <= LIMIT) expect(kept).toBe(history);
      else cut += 1;
      const lost = history.map(({ attachments }, at) => Boolean(attachments) && !kept[at]?.attachments);
      const oldestKept = kept.findIndex(({ attachments }) => attachments);
      expect(lost.lastIndexOf(true)).toBeLessThan(oldestKept === -1 ? history.length : oldestKept);
      for (const [at, turn] of kept.entries()) {
        const note = turn.content.match(/\[(\d+) attachments? left out/)?.[1];
        expect(Number(note ?? 0)).toBe(lost[at] ? history[at]?.attachments?.length : 0);
      }
    }),
    { numRuns: 60 },
  );
  expect(cut).toBeGreaterThan(5);
});

test.each<[string, unknown, boolean]>([
  ['a list of images', [png(1, 1)], true],
  ['null', null, true],
  ['a text', 'AAAA', false],
  ['a list of texts', ['AAAA'], false],
])('a turn whose attachments are %s is judged before a run reads them', (_, attachments, expected) => {
  expect(isTurn({ role: 'user', content: 'Look.', attachments })).toBe(expected);
});

test.each<[string, unknown, boolean]>([
  ['an image', png(1, 1), true],
  ['an image of a type that no model takes', { media_type: 'image/svg+xml', data: 'AAAA' }, false],
  ['a file of an email', { name: 'a.png', url: 'x' }, false],
  ['base64 with a line break', { media_type: 'image/png', data: 'AAA\n' }, false],
  ['nothing', null, false],
])('isAttachment judges %s', (_, value, expected) => {
  expect(isAttachment(value)).toBe(expected);
});
