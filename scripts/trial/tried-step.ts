import type { Step } from '../../src/contract/step.js';

export const protocols = ['text', 'xml', 'json'] as const;
export type Protocol = (typeof protocols)[number];

/** A first step with a small model, as it is recorded in docs/trials. */
export interface TriedStep {
  readonly protocol: Protocol;
  /** Whether the prompt had the worked example. */
  readonly example: boolean;
  readonly question: string;
  readonly result: 'acted' | 'answered' | 'unlabelled' | 'unreadable' | 'cut' | 'failed';
  readonly confidence: string | null;
  readonly reply: string | null;
}

/** What one step came to. */
export function resultOf({ parse, status }: Step): TriedStep['result'] {
  if (status === 'action_proposed') return 'acted';
  if (!parse) return 'failed';
  if (parse.outcome === 'truncated') return 'cut';
  if (parse.outcome !== 'answer') return 'unreadable';
  return parse.repairs.includes('unlabelled_answer') ? 'unlabelled' : 'answered';
}
