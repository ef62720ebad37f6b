import { readImageSize } from './image-size.js';
import { type ImageFormula, imageTokens } from './image-tokens.js';

/** An attachment as it is sent: base64 and its media type. */
interface EncodedFile {
  readonly media_type: string;
  readonly data: string;
}

/** The tokens of an attachment. */
export interface AttachmentTokens {
  readonly tokens: number;
  /** False if they follow from a documented formula and the size of the image. */
  readonly isEstimated: boolean;
}

/** The limits of Claude's larger models, the largest that are documented, for models whose formula is unknown. */
const unknownFormula: ImageFormula = {
  kind: 'patches',
  side: 28,
  maxPatches: 4_784,
  maxPixels: 2_576,
  factor: 1,
  pixelsPerToken: 750,
};

/** Minimum for an unknown formula: Gemini's tokens of its smallest image. */
const MIN_UNKNOWN_TOKENS = 258;

/** Characters of base64 that are read for an image's header: a JPEG may have large profiles before it. */
const MAX_HEADER_CHARACTERS = 2 ** 20;

/** Returns the tokens of an attachment (rule: attachment-tokens). Without a formula, images are estimated. */
export function countAttachment(
  { media_type, data }: EncodedFile,
  formula: ImageFormula | undefined,
): AttachmentTokens {
  if (media_type === 'application/pdf') return { tokens: pdfTokens(data), isEstimated: true };
  const size = readImageSize(Buffer.from(data.slice(0, MAX_HEADER_CHARACTERS), 'base64'));
  if (formula) return { tokens: imageTokens(formula, size), isEstimated: size === undefined };
  return { tokens: Math.max(imageTokens(unknownFormula, size), MIN_UNKNOWN_TOKENS), isEstimated: true };
}

const TOKENS_PER_PAGE = 3_000;
const BYTES_PER_PAGE = 50_000;

/** Maximum, so that a hostile file cannot make a number that the contract cannot hold. */
const MAX_PAGES = 100_000;

/** A page object. Compressed objects hide theirs, so that pages are also estimated by the size. */
const pageObject = /\/Type[\s\0]*\/Page(?![A-Za-z0-9])/g;

function pdfTokens(data: string): number {
  const bytes = Buffer.from(data, 'base64');
  let found = 0;
  for (const _ of bytes.toString('latin1').matchAll(pageObject)) {
    found += 1;
    if (found === MAX_PAGES) break;
  }
  const pages = Math.max(found, Math.ceil(bytes.length / BYTES_PER_PAGE));
  return Math.min(pages, MAX_PAGES) * TOKENS_PER_PAGE;
}
