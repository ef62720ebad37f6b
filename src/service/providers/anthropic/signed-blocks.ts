import type { RedactedThinkingBlockParam, ThinkingBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';

type SignedBlock = ThinkingBlockParam | RedactedThinkingBlockParam;

const blockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
]);

const stateSchema = z.object({ provider: z.literal('anthropic'), blocks: z.array(z.unknown()) });

/** The signed reasoning of a reply, to be kept by the caller and sent back; absent if there is none. */
export function toProviderState(content: readonly unknown[]): { providerState?: unknown } {
  const blocks = content.flatMap(readBlock);
  return blocks.length === 0 ? {} : { providerState: { provider: 'anthropic', blocks } };
}

/** The blocks a state holds. It comes from the caller: what is not ours, or was not signed, is left out. */
export function signedBlocks(state: unknown): SignedBlock[] {
  return stateSchema.safeParse(state).data?.blocks.flatMap(readBlock) ?? [];
}

function readBlock(block: unknown): SignedBlock[] {
  const { data } = blockSchema.safeParse(block);
  return data ? [data] : [];
}
