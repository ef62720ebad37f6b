import type { Step } from '../../src/contract/step.js';

export const protocols = ['text', 'xml', 'json'] as const;
export type Protocol = (typeof protocols)[number];

export type Result = 'acted' | 'answered' | 'unlabelled' | 'unreadable' | 'cut' | 'failed';

/** A step with a small model, as it is recorded in docs/trials. */
export interface TriedStep {
  readonly protocol: Protocol;
  /** Whether the prompt had the worked example. */
  readonly example: boolean;
  readonly question: string;
  readonly result: Result;
  /** The call is one that the prompt shows: the form was followed, and nothing else. */
  readonly isCopied: boolean;
  readonly confidence: string | null;
  readonly reply: string | null;
}

/** A second step, after a reply that could not be read and the correction that the service made for it. */
export interface CorrectedStep extends TriedStep {
  readonly first: string;
}

/** A run through the CLI. */
export interface TriedRun {
  readonly protocol: Protocol;
  readonly question: string;
  readonly exit: number | null;
  readonly steps: number;
  readonly actions: number;
  readonly failedActions: number;
  readonly unreadable: number;
  readonly answer: string | null;
}

/** What one step came to. */
export function resultOf({ parse, status }: Step): Result {
  if (status === 'action_proposed') return 'acted';
  if (!parse) return 'failed';
  if (parse.outcome === 'truncated') return 'cut';
  if (parse.outcome !== 'answer') return 'unreadable';
  return parse.repairs.includes('unlabelled_answer') ? 'unlabelled' : 'answered';
}
