import type { Turn } from '../../contract/history.js';
import type { Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import type { Observation, PairedCall, Unit } from '../../conversation/units.js';
import type { OfferedTool } from '../../parsing/arguments/offered-tool.js';
import type { ParsedCompletion } from '../../parsing/parse-completion.js';
import type { ReplySchema, RestoreArguments } from '../../parsing/structured/schema/reply-schema.js';
import type { JsonValue } from '../../parsing/text/scanner.js';
import type { Completion } from './provider.js';

/**
 * The situation of a step: everything that follows from the request and the model alone. Most files of this room read
 * it, so its types stand here, below all of them. The value of each later verb is declared beside that verb, except for
 * `Received`, which two verbs make and read.
 */

/** A form in which the model writes its actions as text. */
export type WrittenProtocol = 'text' | 'xml' | 'json';

/** The form in which the model is taught to act. Past calls are rendered in the same form (rule: call-rendering). */
export type TaughtProtocol = WrittenProtocol | 'native';

/** The reason why a step must answer instead of acting (rules: last-iteration, terminal-observation). */
export type MustAnswer = 'last_iteration' | 'terminal_error';

/** The constraint on the model's output, for models that support one. */
export interface ReplyFormat {
  /** Null allows any JSON object. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** True if the vendor puts the schema into the prompt and bills its tokens. */
  readonly isCharged: boolean;
  readonly restoreArguments: RestoreArguments;
  /** The key of the answer in the schema. */
  readonly answerKey?: ReplySchema['answerKey'];
  readonly warnings: readonly Warning[];
}

/** A call of the run and its result; a proposed call has no result yet. */
export interface SignalCall extends Pick<PairedCall, 'name' | 'parameters'> {
  readonly observation?: Pick<Observation, 'isError' | 'isDenied'>;
}

/** Counts over the calls of a run, oldest first (rule: signals). */
export interface LoopSignals {
  /** Number of times the latest call was made in a row; 0 if it is not a repetition. */
  readonly repeated_action: number;
  /** Number of times the latest two or three calls were made in turn; 0 if they are no cycle. */
  readonly repeated_cycle: number;
  readonly consecutive_read_only: number;
  /** Failed calls in a row. Denied calls neither count nor end the row. */
  readonly consecutive_errors: number;
}

/** A tool with the arguments of a sample call; without arguments if no sample passes the tool's schema. */
export interface ExampleCall {
  readonly tool: OfferedTool;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
}

/**
 * The part of a situation that is needed to read the reply. Thousands of steps wait for their models at once, so it
 * refers to no file, no observation and no other text of the prompt (rule: lean-waiting).
 */
export interface ReplySituation {
  readonly request: Pick<
    StepRequest,
    'session_id' | 'llm_config' | 'phase' | 'max_iterations_left' | 'include'
  >;
  /** The user turn that this step adds to the history before the reply, if there is one. */
  readonly newTurn: Turn | undefined;
  readonly calls: readonly (SignalCall & Pick<PairedCall, 'id'>)[];
  readonly tools: readonly ToolDefinition[];
  /** The tools that the reader accepts: the defined ones and those read from the free text. */
  readonly offered: readonly OfferedTool[];
  readonly protocol: TaughtProtocol;
  /** Undefined if the protocol is not `json` or the model's output cannot be constrained. */
  readonly replyFormat: ReplyFormat | undefined;
  readonly isLast: boolean;
  readonly mustAnswer: MustAnswer | undefined;
  readonly warnings: readonly Warning[];
}

/** A pure function of the request and the model: no context has been read yet. */
export interface Situation extends ReplySituation {
  readonly request: StepRequest;
  readonly units: readonly Unit[];
  /** The call of the worked example; undefined if the model needs none (rule: worked-example). */
  readonly example: ExampleCall | undefined;
  readonly signals: LoopSignals;
}

/** A reading of a reply's text. */
export interface TextReading {
  readonly completion: ParsedCompletion;
  /** For a reply in one JSON object: whether it is complete and nothing else is around it. */
  readonly isWhole?: boolean;
}

/** A completion, and the reading of its text if it was read while it arrived. */
export interface Received {
  readonly completion: Completion;
  readonly reading?: TextReading | undefined;
}
