import type { Turn } from '../../contract/history.js';
import type { ClientTerms } from '../../contract/recorded-step.js';
import type { Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import type { Observation, PairedCall, Unit } from '../../conversation/units.js';
import type { OfferedTool } from '../../parsing/arguments/offered-tool.js';
import type { ParsedCompletion } from '../../parsing/parse-completion.js';
import type { RestoreAnswer } from '../../parsing/structured/schema/answer-form.js';
import type { ReplySchema, RestoreArguments } from '../../parsing/structured/schema/reply-schema.js';
import type { JsonValue } from '../../parsing/text/scanner.js';
import type { Completion } from './provider.js';

/**
 * Types of the situation of a step: everything that follows from the request and the model alone. Most files of
 * this folder use them, so they are declared here, below all others. The result of each later stage is declared
 * beside that stage, except for `Received`, which two stages share.
 */

/** A form in which the model writes its actions as text. */
export type WrittenProtocol = 'text' | 'xml' | 'json';

/**
 * The form in which the prompt asks the model to write actions. Past calls are rendered in the same form (rule:
 * call-rendering).
 */
export type TaughtProtocol = WrittenProtocol | 'native';

/** The reason why a step must answer instead of acting (rules: last-iteration, terminal-observation). */
export type MustAnswer = 'last_iteration' | 'terminal_error';

/** The form of the final answer that the caller asked for (rule: typed-answers). */
export interface AnswerType {
  readonly schema: Readonly<Record<string, unknown>>;
  /**
   * The tool with which the model gives its answer in native tool calling, if its vendor cannot combine tools with
   * a reply schema.
   */
  readonly tool: ToolDefinition | undefined;
}

/** The constraint on the model's output, for models that support one. */
export interface ReplyFormat {
  /** Schema of the reply in the model's dialect; null allows any JSON object. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** True if the vendor puts the schema into the prompt and bills its tokens. */
  readonly isCharged: boolean;
  readonly restoreArguments: RestoreArguments;
  /** Converts an answer back to the caller's schema; absent if answers are plain text. */
  readonly restoreAnswer?: RestoreAnswer;
  /** The key under which the schema has the answer. */
  readonly answerKey?: ReplySchema['answerKey'];
  readonly warnings: readonly Warning[];
}

/** A call of the run with its result. A call that has only been proposed has no result yet. */
export interface SignalCall extends Pick<PairedCall, 'name' | 'parameters'> {
  readonly observation?: Pick<Observation, 'isError' | 'isDenied'>;
}

/** Counts that show whether a run goes in circles (rule: signals). */
export interface LoopSignals {
  /** Number of times in a row that the latest call was made; 0 if it is not a repetition. */
  readonly repeated_action: number;
  /** Number of times in a row that the latest two or three calls were repeated as a group; 0 if they were not. */
  readonly repeated_cycle: number;
  readonly consecutive_read_only: number;
  /** Number of consecutive failed calls. Denied calls are ignored. */
  readonly consecutive_errors: number;
}

/** The tool of the worked example with sample arguments; without arguments if no sample passes the tool's schema. */
export interface ExampleCall {
  readonly tool: OfferedTool;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
}

/**
 * The part of a situation that is needed to read the reply. Thousands of steps may wait for their models at the
 * same time, so it refers to no file, observation or other text of the prompt (rule: lean-waiting).
 */
export interface ReplySituation {
  readonly request: Pick<
    StepRequest,
    'session_id' | 'llm_config' | 'phase' | 'max_iterations_left' | 'include'
  >;
  /** The user turn that this step adds to the history before the reply, if any. */
  readonly newTurn: Turn | undefined;
  readonly calls: readonly (SignalCall & Pick<PairedCall, 'id'>)[];
  /** The tools that the prompt begins with: those that are not deferred, and `find_tools` if others are. */
  readonly tools: readonly ToolDefinition[];
  /** Deferred tools that can be called, in the order in which the history found them (rule: found-tools). */
  readonly found: readonly ToolDefinition[];
  /**
   * The tools that the parser knows: those defined in the request, and those that only its free text names. Deferred tools
   * that were not found are withheld.
   */
  readonly offered: readonly OfferedTool[];
  readonly protocol: TaughtProtocol;
  /**
   * The constraint on the reply. Undefined if the model's output cannot be constrained. In protocols other than
   * `json`, it is defined only if a native model has to answer in a given form.
   */
  readonly replyFormat: ReplyFormat | undefined;
  /** The form of the final answer; undefined without `answer_schema`. */
  readonly answerType?: AnswerType | undefined;
  readonly isLast: boolean;
  readonly mustAnswer: MustAnswer | undefined;
  /**
   * Set for requests through a compatible endpoint, whose client runs its own loop and cannot read the step's
   * `outcome`: how that client restricts tool use (rule: client-terms). Undefined for `react_step`.
   */
  readonly clientTerms: ClientTerms | undefined;
  readonly warnings: readonly Warning[];
}

/**
 * The full situation of a step. It depends only on the request and the model, and is computed before context is
 * gathered.
 */
export interface Situation extends ReplySituation {
  readonly request: StepRequest;
  /** All deferred tools, found or not, in the order of the request (rule: deferred-tools). */
  readonly deferred: readonly ToolDefinition[];
  /**
   * Token counts, shortened and original, of the tools that `tools` contains only as signatures, by name
   * (rule: compatible-tools).
   */
  readonly shortened?: ReadonlyMap<string, { readonly tokens: number; readonly original: number }>;
  readonly units: readonly Unit[];
  /** The call of the worked example; undefined if the model needs none (rule: worked-example). */
  readonly example: ExampleCall | undefined;
  readonly signals: LoopSignals;
}

/**
 * Returns whether a step uses one of the iterations that are left: every step, but in three-phase mode only `observe`
 * (rule: iterations).
 */
export const usesIteration = ({ phase }: Pick<StepRequest, 'phase'>): boolean =>
  phase !== 'reason' && phase !== 'act';

/** Returns whether the model may call tools in a step: in every step, but in three-phase mode only in `act` (rule: phases). */
export const mayCall = ({ phase }: Pick<StepRequest, 'phase'>): boolean =>
  phase !== 'reason' && phase !== 'observe';

/**
 * Returns whether the model gets no instructions, so that its reply becomes the answer without parsing (rule:
 * client-terms).
 */
export const expectsPlainText = ({
  clientTerms,
}: {
  readonly clientTerms?: ClientTerms | undefined;
}): boolean => clientTerms?.toolChoice === 'none';

/** The text of a reply after parsing. */
export interface TextReading {
  readonly completion: ParsedCompletion;
  /** True if a reply that should be one JSON object is complete, with nothing before or after the object. */
  readonly isWhole?: boolean;
  /** The answer in a reply that is one JSON object, if answers have a schema. */
  readonly answerValue?: JsonValue | undefined;
}

/** A completion, and the reading of its text if it was parsed while streamed. */
export interface Received {
  readonly completion: Completion;
  readonly reading?: TextReading | undefined;
}
