import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { traitsOf } from '../../src/service/providers/models/models.js';
import type { ModelProfile } from '../../src/service/step/provider.js';
import { countAttachment } from '../../src/tokens/attachments/count-attachment.js';
import { readImageSize } from '../../src/tokens/attachments/image-size.js';
import type { ImageFormula } from '../../src/tokens/attachments/image-tokens.js';
import {
  attachment,
  gifBytes,
  jpegBytes,
  pdf,
  pdfBytes,
  png,
  pngBytes,
  webpBytes,
} from '../support/attachments.js';

const headers = {
  PNG: pngBytes,
  GIF: gifBytes,
  JPEG: jpegBytes,
  'lossy WebP': webpBytes.lossy,
  'lossless WebP': webpBytes.lossless,
  'extended WebP': webpBytes.extended,
};

describe.each(Object.entries(headers))('readImageSize of a %s image', (_, bytesOf) => {
  test('readImageSize returns width and height', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 16_383 }),
        fc.integer({ min: 1, max: 16_383 }),
        (width, height) => {
          expect(readImageSize(bytesOf(width, height))).toEqual({ width, height });
        },
      ),
    );
  });

  test('readImageSize returns undefined for a header that is cut before the size', () => {
    const whole = bytesOf(640, 480);
    for (let length = 0; length < whole.length; length += 1) {
      const size = readImageSize(whole.subarray(0, length));
      if (size) expect(size).toEqual({ width: 640, height: 480 });
    }
    expect(readImageSize(whole.subarray(0, 9))).toBeUndefined();
  });
});

test('readImageSize never throws, whatever the bytes', () => {
  const beginnings = Object.values(headers).map((bytesOf) => bytesOf(7, 9));
  fc.assert(
    fc.property(
      fc.constantFrom(...beginnings),
      fc.nat(40),
      fc.uint8Array({ maxLength: 60 }),
      (whole, cut, rest) => {
        const size = readImageSize(Buffer.concat([whole.subarray(0, cut), rest]));
        if (size) expect(Math.min(size.width, size.height)).toBeGreaterThan(0);
      },
    ),
    { numRuns: 2_000 },
  );
});

const openai = (model: string) => formulaOf(traitsOf('openai', model).vision);
const anthropic = (model: string) => formulaOf(traitsOf('anthropic', model).vision);

function formulaOf(vision: ModelProfile['vision']): ImageFormula {
  if (vision === undefined || vision === 'none') throw new Error('The model has no formula.');
  return vision;
}

describe('tokens of an image (rule: attachment-tokens)', () => {
  test.each([
    ['gpt-4o', 1024, 1024, 765],
    ['gpt-4o', 2048, 4096, 1_105],
    ['gpt-4o', 512, 512, 255],
    ['gpt-4o-mini', 1024, 1024, 25_501],
    ['gpt-4.1', 1, 1, 255],
    ['ft:gpt-4o-2024-08-06:acme::1', 1024, 1024, 765],
    ['gpt-5', 1024, 1024, 630],
    ['o3', 1024, 1024, 675],
    ['gpt-5-mini', 1024, 1024, 1_659],
    ['gpt-4.1-mini', 1800, 2400, 2_353],
    ['gpt-4.1-nano', 32, 32, 3],
    ['o4-mini', 64, 64, 7],
    ['gpt-5.6-sol', 640, 480, 360],
    ['gpt-6-astra', 2880, 864, 2_916],
  ])('the model %s counts an image of %s × %s pixels as OpenAI documents it: %s tokens', (model, width, height, tokens) => {
    expect(countAttachment(png(width, height), openai(model))).toEqual({ tokens, isEstimated: false });
  });

  test.each([
    ['claude-sonnet-4-6', 1000, 1000, 1_334],
    ['claude-sonnet-4-6', 200, 200, 64],
    ['claude-sonnet-4-6', 3840, 2160, 1_568],
    ['claude-haiku-4-5', 4000, 4000, 1_568],
    ['claude-opus-4-7', 1000, 1000, 1_334],
    ['claude-opus-4-7', 4000, 4000, 4_784],
  ])('the model %s counts an image of %s × %s pixels as Anthropic documents it: at most %s tokens', (model, width, height, tokens) => {
    const counted = countAttachment(png(width, height), anthropic(model));
    expect(counted.isEstimated).toBe(false);
    expect(counted.tokens).toBeLessThanOrEqual(tokens);
    expect(counted.tokens).toBeGreaterThan(tokens * 0.96);
  });

  test('an image costs at most the maximum of its formula, whatever size its header states', () => {
    const formulas = [
      openai('gpt-4o'),
      openai('gpt-5-mini'),
      openai('gpt-6-astra'),
      anthropic('claude-opus-5'),
    ];
    const side = fc.oneof(fc.integer({ min: 1, max: 2 ** 32 - 1 }), fc.integer({ min: 1, max: 5_000 }));
    fc.assert(
      fc.property(fc.constantFrom(...formulas, undefined), side, side, (formula, width, height) => {
        const { tokens } = countAttachment(png(width, height), formula);
        const maximum = countAttachment(attachment('image/png', Buffer.from('cut')), formula);
        expect(maximum.isEstimated).toBe(true);
        expect(Number.isSafeInteger(tokens) && tokens > 0).toBe(true);
        expect(tokens).toBeLessThanOrEqual(maximum.tokens);
      }),
      { numRuns: 1_000 },
    );
  });

  test('for an unknown model, the tokens of an image are estimated, as at least 258', () => {
    expect(countAttachment(png(1, 1), undefined)).toEqual({ tokens: 258, isEstimated: true });
    expect(countAttachment(png(1000, 1000), undefined)).toEqual({ tokens: 1_334, isEstimated: true });
  });

  test.each([
    'gpt-3.5-turbo',
    'gpt-4',
    'gpt-4-0613',
    'gpt-4-turbo-preview',
    'o1-mini',
    'o3-mini',
  ])('the model %s cannot see images', (model) => {
    expect(traitsOf('openai', model).vision).toBe('none');
  });

  test('the offline model cannot see images', () => {
    expect(traitsOf('offline', 'offline').vision).toBe('none');
  });
});

describe('tokens of a PDF (rule: attachment-tokens)', () => {
  test('a PDF counts 3,000 tokens for each page object', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (pages) => {
        expect(countAttachment(pdf(pages), undefined)).toEqual({ tokens: pages * 3_000, isEstimated: true });
      }),
    );
  });

  test('a PDF counts at least one page per 50 KB, since compressed objects hide pages', () => {
    const file = attachment('application/pdf', pdfBytes(0, 149_999));
    expect(countAttachment(file, undefined).tokens).toBe(4 * 3_000);
    expect(countAttachment(attachment('application/pdf', Buffer.from('x')), undefined).tokens).toBe(3_000);
  });

  test('the bare word /Page counts as no page, and page objects count only up to 100,000 pages', () => {
    const words = attachment('application/pdf', Buffer.from('/Page '.repeat(500_000)));
    expect(countAttachment(words, undefined).tokens).toBe(60 * 3_000);
    const objects = attachment('application/pdf', Buffer.from('/Type/Page '.repeat(270_000)));
    expect(countAttachment(objects, undefined).tokens).toBe(300_000_000);
  });
});
