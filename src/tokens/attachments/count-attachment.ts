import { readImageSize } from './image-size.js';
import { type ImageFormula, imageTokens } from './image-tokens.js';

/** An attachment in the form in which it is sent: base64, and its media type. */
interface EncodedFile {
  readonly media_type: string;
  readonly data: string;
}

/** The token count of an attachment. */
export interface AttachmentTokens {
  readonly tokens: number;
  /** False if the count follows from a documented formula and the size of the image. */
  readonly isEstimated: boolean;
}

/**
 * Image limits of Claude's larger models, for models whose formula is unknown. They are the largest that any
 * vendor documents.
 */
const unknownFormula: ImageFormula = {
  kind: 'patches',
  side: 28,
  maxPatches: 4_784,
  maxPixels: 2_576,
  factor: 1,
  pixelsPerToken: 750,
};

/** Minimum tokens of an image if the formula is unknown: what Gemini counts for its smallest image. */
const MIN_UNKNOWN_TOKENS = 258;

/**
 * Maximum characters of base64 in which an image's header is searched, because a JPEG may have large profiles
 * before it.
 */
const MAX_HEADER_CHARACTERS = 2 ** 20;

/**
 * Returns the token count of an attachment (rule: attachment-tokens). Images are estimated if the model's formula
 * is unknown.
 */
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

/**
 * Maximum number of pages of a PDF. It bounds the token count of a hostile file to a number that the contract
 * allows.
 */
const MAX_PAGES = 100_000;

/**
 * Matches a page object of a PDF. Page objects inside compressed streams do not match, so the number of pages is
 * also estimated from the file's size.
 */
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
