import type { Turn } from '../../contract/history.js';
import type { ClientTerms } from '../../contract/recorded-step.js';
import type { Signals, Warning } from '../../contract/step.js';
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
 * Types of the situation of a step: everything that follows from the request and the model alone. They are declared
 * here because most files of this folder use them. The result of each later stage is declared in the file of that
 * stage, except for `Received`, which two stages use.
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
  /** The key of the answer in the schema. */
  readonly answerKey?: ReplySchema['answerKey'];
  readonly warnings: readonly Warning[];
}

/** A call of the run with its result. A call that has only been proposed has no result yet. */
export interface SignalCall extends Pick<PairedCall, 'name' | 'parameters'> {
  readonly observation?: Pick<Observation, 'isError' | 'isDenied'>;
}

/** Counts that show whether a run goes in circles (rule: signals). */
export type LoopSignals = Omit<Signals, 'last_iteration' | 'should_compact'>;

/**
 * The part of a situation that is needed to parse the reply. Thousands of steps may wait for their models at the same
 * time, so it refers to no file, observation or other text of the prompt (rule: lean-waiting).
 */
export interface ReplySituation {
  readonly request: Pick<
    StepRequest,
    'session_id' | 'llm_config' | 'phase' | 'max_iterations_left' | 'include'
  >;
  /** The user turn that this step adds to the history before the reply, if any. */
  readonly newTurn: Turn | undefined;
  readonly calls: readonly (SignalCall & Pick<PairedCall, 'id'>)[];
  /**
   * The tools that every prompt of the run describes: those that are not deferred, and `find_tools` if others are
   * deferred.
   */
  readonly tools: readonly ToolDefinition[];
  /**
   * Deferred tools that a search found, so that they can be called, in the order of their discovery (rule:
   * found-tools).
   */
  readonly found: readonly ToolDefinition[];
  /**
   * The tools that the parser knows: those that the request defines, and those that only its free text mentions.
   * Deferred tools that were not found are marked as withheld.
   */
  readonly offered: readonly OfferedTool[];
  readonly protocol: TaughtProtocol;
  /**
   * The constraint on the reply. Undefined if the output of the model cannot be constrained. In other protocols than
   * `json`, defined only for an answer with a schema that the vendor can enforce.
   */
  readonly replyFormat: ReplyFormat | undefined;
  /** The form of the final answer; undefined without `answer_schema`. */
  readonly answerType?: AnswerType | undefined;
  readonly mustAnswer: MustAnswer | undefined;
  /**
   * How the client of a compatible endpoint restricts tool use; undefined for `react_step`. Such a client runs its
   * own loop and cannot read the step's `outcome` (rule: client-terms).
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
   * Token counts of the signature (`tokens`) and of the full definition (`original`), by name, for the tools that
   * `tools` contains only as signatures (rule: compatible-tools).
   */
  readonly shortened?: ReadonlyMap<string, { readonly tokens: number; readonly original: number }>;
  readonly units: readonly Unit[];
  /**
   * True if the model gets a worked example and tools described in words, because a small model copies a schema into
   * its calls (rule: worked-example).
   */
  readonly needsExample: boolean;
  readonly signals: LoopSignals;
}

/**
 * Returns whether a step uses up one of the remaining iterations. In three-phase mode, only `observe` does (rule:
 * iterations).
 */
export const usesIteration = ({ phase }: Pick<StepRequest, 'phase'>): boolean =>
  phase !== 'reason' && phase !== 'act';

/** Returns whether no iteration is left after a step. */
export const isLastIteration = (request: Pick<StepRequest, 'phase' | 'max_iterations_left'>): boolean =>
  request.max_iterations_left === 1 && usesIteration(request);

/** The phases in which the reply is prose with a control block (rule: phase-control). The model may not call tools. */
export type ProsePhase = 'reason' | 'observe';

/** Returns the phase of a step whose reply is prose; undefined if the model may call tools (rule: phases). */
export const prosePhaseOf = ({ phase }: Pick<StepRequest, 'phase'>): ProsePhase | undefined =>
  phase === 'act' ? undefined : phase;

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
  /** True if a reply that should be one JSON object is complete, without text before or after the object. */
  readonly isWhole?: boolean;
  /** The answer in a reply that is one JSON object; only if answers have a schema. */
  readonly answerValue?: JsonValue | undefined;
}

/** A completion, and the parsed text if the text was parsed while it was streamed. */
export interface Received {
  readonly completion: Completion;
  readonly reading?: TextReading | undefined;
}
