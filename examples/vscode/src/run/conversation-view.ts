import type { StopReason, Task } from 'stepwise';

/** The runs of a conversation as plain data for the page: the SDK's view with shortened texts and added labels. */
export interface ConversationView {
  /** Steps of all tasks, oldest first. */
  readonly steps: readonly ShownStep[];
  readonly status: 'idle' | 'running' | 'ended' | 'interrupted';
  /** The current activity in a few words; empty if idle. */
  readonly activity: string;
  readonly iterationsLeft: number;
  readonly maxSteps: number;
  readonly tasks: readonly Task[];
  readonly usage: UsageView;
  readonly budget: BudgetView | null;
  readonly end: EndView | null;
}

/** One model call and its actions. */
export interface ShownStep {
  /** Number of the step in the whole conversation, starting at 1. */
  readonly number: number;
  /** The task, if this is its first step; null for its other steps. */
  readonly task: string | null;
  readonly thought: string;
  readonly answer: string;
  readonly actions: readonly ShownAction[];
  /** Notable facts, such as a retried failure or a compacted history. */
  readonly remarks: readonly string[];
}

/** A tool call. */
export interface ShownAction {
  readonly id: string;
  readonly tool: string;
  /** The arguments in JSON. */
  readonly args: string;
  /** The first argument, as a short hint. */
  readonly brief: string;
  readonly state: 'proposed' | 'asked' | 'running' | 'done' | 'failed' | 'denied' | 'not run';
  /** The tool's result, or its output so far while it runs. */
  readonly result: string;
}

/** Tokens of the conversation as counted by the provider. */
export interface UsageView {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** Composition of the newest prompt. */
export interface BudgetView {
  readonly limit: number;
  readonly used: number;
  readonly isEstimated: boolean;
  /** Tokens of each section, and the free and reserved tokens. All numbers add up to the limit. */
  readonly pieces: readonly { readonly name: string; readonly tokens: number }[];
  readonly leftOut: readonly LeftOut[];
}

/** An item that the prompt contains only in part or not at all. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
  /** Path of the file to open; null if the item is no file. */
  readonly path: string | null;
}

/** How the newest run ended. */
export interface EndView {
  readonly reason: StopReason;
  readonly sentence: string;
  /** Button for a command that helps, if there is one. */
  readonly remedy: Remedy | null;
}

/** A button: its label and the command it runs. */
export interface Remedy {
  readonly label: string;
  readonly command: string;
}

export const emptyConversation: ConversationView = {
  steps: [],
  status: 'idle',
  activity: '',
  iterationsLeft: 0,
  maxSteps: 0,
  tasks: [],
  usage: { input: 0, cached: 0, output: 0 },
  budget: null,
  end: null,
};
