import type { Turn } from '../../contract/history.js';
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
 * The situation of a step: everything that follows from the request and the model alone. Most files of this
 * folder use it, so its types are declared here, below all of them. The value of each later verb is declared
 * beside that verb, except for `Received`, which two verbs produce and read.
 */

/** A form in which the model writes its actions as text. */
export type WrittenProtocol = 'text' | 'xml' | 'json';

/** The form in which the model is taught to act. Past calls are rendered in the same form (rule: call-rendering). */
export type TaughtProtocol = WrittenProtocol | 'native';

/** The reason why a step must answer instead of acting (rules: last-iteration, terminal-observation). */
export type MustAnswer = 'last_iteration' | 'terminal_error';

/** The form of the final answer that the caller asked for (rule: typed-answers). */
export interface AnswerType {
  readonly schema: Readonly<Record<string, unknown>>;
  /** The tool through which a native model answers, if its vendor cannot combine tools with a reply schema. */
  readonly tool: ToolDefinition | undefined;
}

/**
 * Terms of a step for a client that runs a loop of its own and cannot read a step's outcome, as those of the compatible
 * endpoints (rule: client-terms).
 */
export interface ClientTerms {
  /** `none`: the model is taught nothing, its reply is the answer as written, and nothing of the history is cut. */
  readonly toolChoice: 'auto' | 'none' | 'required' | { readonly name: string };
}

/** The constraint on the model's output, for models that support one. */
export interface ReplyFormat {
  /** Schema of the reply in the model's dialect; null allows any JSON object. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** True if the vendor puts the schema into the prompt and bills its tokens. */
  readonly isCharged: boolean;
  readonly restoreArguments: RestoreArguments;
  /** Absent if answers are text. */
  readonly restoreAnswer?: RestoreAnswer;
  /** The key of the answer in the schema. */
  readonly answerKey?: ReplySchema['answerKey'];
  readonly warnings: readonly Warning[];
}

/** A call of the run and its result. A proposed call has no result yet. */
export interface SignalCall extends Pick<PairedCall, 'name' | 'parameters'> {
  readonly observation?: Pick<Observation, 'isError' | 'isDenied'>;
}

/** Counts that show whether a run goes in circles, over its calls from the oldest to the newest (rule: signals). */
export interface LoopSignals {
  /** Number of consecutive times the latest call was made; 0 if it is not a repetition. */
  readonly repeated_action: number;
  /** Number of times the latest two or three calls were made in turn; 0 if they do not form a cycle. */
  readonly repeated_cycle: number;
  readonly consecutive_read_only: number;
  /** Number of consecutive failed calls. Denied calls are ignored. */
  readonly consecutive_errors: number;
}

/** A tool with the arguments of a sample call; without arguments if no sample conforms to the tool's schema. */
export interface ExampleCall {
  readonly tool: OfferedTool;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
}

/**
 * The part of a situation that is needed to read the reply. Thousands of steps may wait for their models at
 * once, so it keeps no file, observation or other text of the prompt in memory (rule: lean-waiting).
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
   * The tools that the reader knows: the defined ones and those read from the free text. Deferred tools that were not found
   * are withheld.
   */
  readonly offered: readonly OfferedTool[];
  readonly protocol: TaughtProtocol;
  /**
   * Undefined if the model's output cannot be constrained, and in other protocols than `json` unless a native model has to
   * answer in a given form.
   */
  readonly replyFormat: ReplyFormat | undefined;
  /** Undefined without `answer_schema`. */
  readonly answerType?: AnswerType | undefined;
  readonly isLast: boolean;
  readonly mustAnswer: MustAnswer | undefined;
  /** Undefined for a step whose caller reads its outcome. */
  readonly terms: ClientTerms | undefined;
  readonly warnings: readonly Warning[];
}

/** The full situation: a pure function of the request and the model, before any context is gathered. */
export interface Situation extends ReplySituation {
  readonly request: StepRequest;
  /** All deferred tools, found or not, in the order of the request (rule: deferred-tools). */
  readonly deferred: readonly ToolDefinition[];
  readonly units: readonly Unit[];
  /** The call of the worked example; undefined if the model needs none (rule: worked-example). */
  readonly example: ExampleCall | undefined;
  readonly signals: LoopSignals;
}

/** Returns whether the model is taught nothing, so that its reply is not read (rule: client-terms). */
export const isPlain = ({ terms }: Pick<ReplySituation, 'terms'>): boolean => terms?.toolChoice === 'none';

/** A reading of a reply's text. */
export interface TextReading {
  readonly completion: ParsedCompletion;
  /** For a reply in one JSON object: true if it is complete and nothing surrounds it. */
  readonly isWhole?: boolean;
  /** For a reply in one JSON object: the answer in it, if answers have a schema. */
  readonly answerValue?: JsonValue | undefined;
}

/** A completion, and the reading of its text if it was parsed while streamed. */
export interface Received {
  readonly completion: Completion;
  readonly reading?: TextReading | undefined;
}
