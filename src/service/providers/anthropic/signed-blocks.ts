import type { RedactedThinkingBlockParam, ThinkingBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { VendorState } from '../vendor.js';
import { fieldsOf } from '../vendor-json.js';

type SignedBlock = ThinkingBlockParam | RedactedThinkingBlockParam;

/** Returns the signed reasoning blocks of a reply, which must be sent back; undefined if there are none. */
export function stateOf(content: readonly unknown[]): VendorState | undefined {
  const blocks = content.flatMap(readBlock);
  return blocks.length === 0 ? undefined : { fields: { blocks }, isEncrypted: true };
}

/**
 * Returns the signed blocks of a provider state. The state comes from the caller, so other or unsigned blocks are
 * ignored.
 */
export function signedBlocks(state: unknown): SignedBlock[] {
  const { blocks } = fieldsOf(state);
  return Array.isArray(blocks) ? blocks.flatMap(readBlock) : [];
}

function readBlock(block: unknown): SignedBlock[] {
  if (!isBlock(block)) return [];
  const { type, thinking, signature, data } = block;
  if (type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string') {
    return signature === '' ? [] : [{ type, thinking, signature }];
  }
  return type === 'redacted_thinking' && typeof data === 'string' ? [{ type, data }] : [];
}

/** A content block of any type. */
export interface ContentBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

export const isBlock = (block: unknown): block is ContentBlock =>
  typeof block === 'object' && block !== null && 'type' in block && typeof block.type === 'string';
