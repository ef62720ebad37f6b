import type { ImageSize } from './image-size.js';

/** The way in which a vendor counts the tokens of an image (rule: attachment-tokens). */
export type ImageFormula =
  /** OpenAI's older formula: a base number, and tokens for each square of 512 pixels. */
  | { readonly kind: 'tiles'; readonly base: number; readonly tile: number }
  /** Formula that counts the square patches of an image. Images with more patches than the limit are scaled down. */
  | {
      readonly kind: 'patches';
      readonly side: number;
      readonly maxPatches: number;
      readonly maxPixels: number;
      /** Tokens for each patch. */
      readonly factor: number;
      /**
       * Number of pixels for each token in the vendor's older formula. The larger result of the two formulas is used.
       */
      readonly pixelsPerToken?: number;
    };

/** Returns the tokens of an image. If the image's size is unknown, returns the maximum of the formula. */
export function imageTokens(formula: ImageFormula, size: ImageSize | undefined): number {
  return formula.kind === 'tiles' ? tileTokens(formula, size) : patchTokens(formula, size);
}

type Tiles = Extract<ImageFormula, { kind: 'tiles' }>;
type Patches = Extract<ImageFormula, { kind: 'patches' }>;

const TILE_PIXELS = 512;
const MAX_TILES = 8;
const MAX_LONG_SIDE = 2_048;
const MAX_SHORT_SIDE = 768;

function tileTokens({ base, tile }: Tiles, size: ImageSize | undefined): number {
  if (!size) return base + MAX_TILES * tile;
  const fitting = scaled(size, MAX_LONG_SIDE / Math.max(size.width, size.height));
  const { width, height } = scaled(fitting, MAX_SHORT_SIDE / Math.min(fitting.width, fitting.height));
  return base + tile * Math.ceil(width / TILE_PIXELS) * Math.ceil(height / TILE_PIXELS);
}

function patchTokens(formula: Patches, size: ImageSize | undefined): number {
  const { maxPatches, maxPixels, factor, pixelsPerToken } = formula;
  const max = Math.ceil(maxPatches * factor);
  if (!size) return max;
  const fitting = fitPatches(scaled(size, maxPixels / Math.max(size.width, size.height)), formula);
  const patches = Math.min(maxPatches, patchesOf(fitting, formula));
  const byPixels = pixelsPerToken ? Math.ceil((fitting.width * fitting.height) / pixelsPerToken) : 0;
  return Math.max(Math.ceil(patches * factor), Math.min(max, byPixels));
}

const patchesOf = ({ width, height }: ImageSize, { side }: Patches): number =>
  Math.ceil(width / side) * Math.ceil(height / side);

/** Scales an image down until its number of patches is within the limit, as OpenAI documents it. */
function fitPatches(size: ImageSize, formula: Patches): ImageSize {
  if (patchesOf(size, formula) <= formula.maxPatches) return size;
  const { side, maxPatches } = formula;
  const shrink = Math.sqrt((side ** 2 * maxPatches) / (size.width * size.height));
  const whole = (length: number) => Math.floor((length * shrink) / side) / ((length * shrink) / side);
  const factor = shrink * Math.min(whole(size.width), whole(size.height));
  return factor > 0 ? scaled(size, factor) : size;
}

/** Scales an image by a factor, but never enlarges it. */
function scaled(size: ImageSize, factor: number): ImageSize {
  if (factor >= 1) return size;
  const scale = (length: number) => Math.max(1, Math.floor(length * factor));
  return { width: scale(size.width), height: scale(size.height) };
}
