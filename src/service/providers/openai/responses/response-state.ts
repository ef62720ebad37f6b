import { isObject } from '../../../../contract/fields.js';
import type { VendorState } from '../../vendor.js';

/** An encrypted reasoning item, which must precede the message or call that it led to. */
export interface ReasoningItem {
  readonly type: 'reasoning';
  readonly id?: string;
  readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[];
  readonly encrypted_content: string;
}

/**
 * Reads a reasoning item of a reply, or of a provider state that the caller sent. Returns an empty list for an
 * item without encrypted content, which would be useless.
 */
export function readReasoningItem(value: unknown): ReasoningItem[] {
  if (!isObject(value) || value['type'] !== 'reasoning') return [];
  const { id, summary, encrypted_content } = value;
  if (typeof encrypted_content !== 'string' || encrypted_content === '') return [];
  const texts = Array.isArray(summary) ? summary.filter(isObject).map(({ text }) => text) : [];
  return [
    {
      type: 'reasoning',
      ...(typeof id === 'string' && { id }),
      summary: texts
        .filter((text) => typeof text === 'string')
        .map((text) => ({ type: 'summary_text', text })),
      encrypted_content,
    },
  ];
}

export const stateOf = (items: readonly ReasoningItem[]): VendorState | undefined =>
  items.length === 0 ? undefined : { fields: { items }, isEncrypted: true };

/** Returns the reasoning items of a provider state. */
export function itemsOf(state: unknown): ReasoningItem[] {
  const items = isObject(state) ? state['items'] : undefined;
  return Array.isArray(items) ? items.flatMap(readReasoningItem) : [];
}
