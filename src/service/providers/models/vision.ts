import type { ImageFormula } from '../../../tokens/attachments/image-tokens.js';
import type { ModelProfile } from '../../step/provider.js';

type Vision = NonNullable<ModelProfile['vision']>;

const patches = (maxPatches: number, factor = 1, maxPixels = 2_048): ImageFormula => ({
  kind: 'patches',
  side: 32,
  maxPatches,
  maxPixels,
  factor,
});

const tiles = (base: number, tile: number): ImageFormula => ({ kind: 'tiles', base, tile });

/**
 * How OpenAI's models count an image of high detail; the first matching row is used. Source:
 * developers.openai.com/api/docs/guides/images-vision, "Calculating costs". The factor 1.2 is documented for GPT-6
 * and assumed for all models since GPT-5.4.
 */
const openaiVision: readonly (readonly [RegExp, Vision])[] = [
  [/^gpt-5\.[45]-mini/, patches(1_536, 1.62)],
  [/^gpt-5\.[45]-nano/, patches(1_536, 2.46)],
  [/^gpt-5\.[45]/, patches(2_500, 1.2)],
  [/^gpt-(?:[6-9]|\d\d|5\.(?:[6-9]|\d\d))/, patches(2_500, 1.2, 65_535)],
  [/^gpt-(?:5(?:\.[1-3])?|4\.1)-(?:codex-)?mini/, patches(1_536, 1.62)],
  [/^gpt-(?:5|4\.1)-nano/, patches(1_536, 2.46)],
  [/^gpt-5(?:\.[23]|-codex)/, patches(1_536)],
  [/^gpt-5/, tiles(70, 140)],
  [/^o4-mini/, patches(1_536, 1.72)],
  [/^(?:o1-(?:mini|preview)|o3-mini)/, 'none'],
  [/^o\d/, tiles(75, 150)],
  [/^gpt-4o-mini/, tiles(2_833, 5_667)],
  [/^(?:gpt-4o|chatgpt-4o|gpt-4\.|gpt-4-turbo(?!-preview)|gpt-4-(?:1106-)?vision)/, tiles(85, 170)],
  [/^gpt-(?:4|3\.5)/, 'none'],
];

/** How a Claude model counts an image (source: platform.claude.com/docs/en/build-with-claude/vision). */
const claude = (maxPixels: number, maxPatches: number): ImageFormula => ({
  kind: 'patches',
  side: 28,
  maxPatches,
  maxPixels,
  factor: 1,
  pixelsPerToken: 750,
});

const standard = claude(1_568, 1_568);
const highResolution = claude(2_576, 4_784);

/** Matches Claude models with the lower image resolution; all later ones have the higher. */
const standardClaude = /^claude-(?:(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:$|-\d{8})|\d)/;

/** Matches Claude models that cannot see images. */
const blindClaude = /^claude-(?:2|instant)/;

/** Returns how a model of a built-in vendor counts images; undefined if that is unknown. */
export function visionOf(vendor: 'openai' | 'anthropic' | 'offline', model: string): Vision | undefined {
  if (vendor === 'offline') return 'none';
  if (vendor === 'openai') {
    const base = model.replace(/^ft:/, '');
    return openaiVision.find(([pattern]) => pattern.test(base))?.[1];
  }
  if (blindClaude.test(model)) return 'none';
  return standardClaude.test(model) ? standard : highResolution;
}
