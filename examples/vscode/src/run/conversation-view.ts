import type { StopReason, Task } from 'stepwise';

/** The runs of a conversation as the page shows them: the SDK's view, cut and put into words. Plain data, to be posted. */
export interface ConversationView {
  /** Oldest first, of all tasks that followed one another. */
  readonly steps: readonly ShownStep[];
  readonly status: 'idle' | 'running' | 'ended' | 'interrupted';
  /** What goes on now, in a few words; empty where nothing does. */
  readonly activity: string;
  readonly iterationsLeft: number;
  readonly maxSteps: number;
  readonly tasks: readonly Task[];
  readonly usage: UsageView;
  readonly budget: BudgetView | null;
  readonly end: EndView | null;
}

/** One model call and what it led to. */
export interface ShownStep {
  /** From 1, in the whole conversation. */
  readonly number: number;
  /** The task that begins with this step. */
  readonly task: string | null;
  readonly thought: string;
  readonly answer: string;
  readonly actions: readonly ShownAction[];
  /** What a person should notice: a failure that was tried again, a history that was shortened. */
  readonly remarks: readonly string[];
}

/** A call to a tool. */
export interface ShownAction {
  readonly id: string;
  readonly tool: string;
  /** The arguments as JSON. */
  readonly args: string;
  /** The first argument, as a hint of the rest. */
  readonly brief: string;
  readonly state: 'proposed' | 'asked' | 'running' | 'done' | 'failed' | 'denied' | 'not run';
  /** What came of it; while the tool works, what it has said so far. */
  readonly result: string;
}

/** Tokens of the conversation, as the provider counted them. */
export interface UsageView {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** What the newest prompt was made of. */
export interface BudgetView {
  readonly limit: number;
  readonly used: number;
  readonly isEstimated: boolean;
  /** The whole limit, piece by piece. */
  readonly pieces: readonly { readonly name: string; readonly tokens: number }[];
  readonly leftOut: readonly LeftOut[];
}

/** What the model did not see, or not whole. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
  /** The file to open; null for what is none. */
  readonly path: string | null;
}

/** How the newest run ended. */
export interface EndView {
  readonly reason: StopReason;
  readonly sentence: string;
  /** A command of this extension that helps. */
  readonly remedy: Remedy | null;
}

/** A button that helps: what it says, and the command it runs. */
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
