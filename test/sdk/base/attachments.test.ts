import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TurnInput } from '../../../src/contract/history.js';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import {
  isAttachment,
  toAttachment,
  withinBodyLimit,
  withinSavedLimit,
} from '../../../src/sdk/base/attachments.js';
import { isTurn } from '../../../src/sdk/base/wire-shapes.js';
import { gifBytes, jpegBytes, pdfBytes, png, pngBytes, webpBytes } from '../../support/attachments.js';
import { stepRequest } from '../../support/whole-service.js';

const LIMIT = 4 * 2 ** 20;

const bytesOf = (request: StepRequestInput): number => Buffer.byteLength(JSON.stringify(request));

const image = (length: number) => ({ media_type: 'image/png' as const, data: 'A'.repeat(length * 4) });

const turns = fc.array(
  fc.record({ content: fc.lorem(), sizes: fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 3 }) }),
  { maxLength: 12 },
);

test('attachments never make a request exceed 4 MiB: the newest stay, and a line of text replaces each removed one (rule: attachment-limit)', () => {
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

test('a list of a saved run has at most 4 MiB of attachments: the newest stay, and a line of text replaces each removed one (rule: saved-attachments)', () => {
  let cut = 0;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 500_000 }), { maxLength: 12 }), (sizes) => {
      const all = sizes.map(
        (size): TurnInput => ({
          role: 'tool_observation',
          content: 'Seen.',
          ...(size > 0 && { attachments: [image(size)] }),
        }),
      );
      const kept = withinSavedLimit(all);
      const lengths = kept.map(({ attachments }) => attachments?.[0]?.data.length ?? 0);
      const total = lengths.reduce((sum, length) => sum + length, 0);
      expect(total).toBeLessThanOrEqual(LIMIT);
      const lost = sizes.map((size, at) => size > 0 && lengths[at] === 0);
      const newestLost = lost.lastIndexOf(true);
      if (newestLost === -1) expect(kept).toBe(all);
      else expect(total + (sizes[newestLost] ?? 0) * 4).toBeGreaterThan(LIMIT);
      expect(lengths.slice(0, newestLost + 1)).toEqual(lengths.slice(0, newestLost + 1).map(() => 0));
      for (const [at, { content }] of kept.entries())
        expect(content).toBe(
          lost[at] ? 'Seen.\n[1 attachment left out: the saved run grew too large]' : 'Seen.',
        );
      cut += Number(newestLost !== -1);
    }),
    { numRuns: 100 },
  );
  expect(cut).toBeGreaterThan(5);
});

test.each<[string, unknown, boolean]>([
  ['a list of images', [png(1, 1)], true],
  ['null', null, true],
  ['a text', 'AAAA', false],
  ['a list of texts', ['AAAA'], false],
])('isTurn accepts or rejects a turn whose attachments are %s', (_, attachments, expected) => {
  expect(isTurn({ role: 'user', content: 'Look.', attachments })).toBe(expected);
});

test.each<[string, unknown, boolean]>([
  ['an image', png(1, 1), true],
  ['an image of an unsupported type', { media_type: 'image/svg+xml', data: 'AAAA' }, false],
  ['a file of an email', { name: 'a.png', url: 'x' }, false],
  ['base64 with a line break', { media_type: 'image/png', data: 'AAA\n' }, false],
  ['nothing', null, false],
])('isAttachment accepts images and rejects anything else: %s', (_, value, expected) => {
  expect(isAttachment(value)).toBe(expected);
});

test.each<[string, Buffer]>([
  ['image/png', pngBytes(640, 480)],
  ['image/jpeg', jpegBytes(640, 480, 20_000)],
  ['image/webp', webpBytes.lossy(640, 480)],
  ['image/gif', gifBytes(640, 480)],
  ['application/pdf', pdfBytes(3, 50_000)],
  ['application/pdf', Buffer.concat([Buffer.alloc(900, 0x20), pdfBytes(1)])],
])('toAttachment recognises %s by its first bytes and keeps every byte (rule: attachment-limit)', (media_type, bytes) => {
  expect(toAttachment(bytes)).toEqual({ media_type, data: bytes.toString('base64') });
});

test.each<[string, Buffer]>([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a HEIC image', Buffer.from('\0\0\0\x18ftypheic')],
  ['a RIFF file that is no image', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
  ['an empty file', Buffer.alloc(0)],
  ['text about %PDF- far from the beginning', Buffer.from(`${'x'.repeat(2_000)}%PDF-1.7`)],
])('toAttachment returns undefined for %s', (_, bytes) => {
  expect(toAttachment(bytes)).toBeUndefined();
});
