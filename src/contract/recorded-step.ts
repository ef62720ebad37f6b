import type { Preview } from './preview.js';
import type { Step } from './step.js';
import type { StepRequest } from './step-request.js';

/**
 * Restrictions of a step for a client that runs a loop of its own and cannot read a step's outcome, such as a client of
 * the compatible endpoints (rule: client-terms).
 */
export interface ClientTerms {
  /** `none`: the prompt does not teach calls, the reply is the answer as written, and the history is not shortened. */
  readonly toolChoice:
    | 'auto'
    | 'none'
    | 'required'
    | {
        /** Name of the tool that the model must call. */
        readonly name: string;
      };
}

/** A call that a model made through its vendor's own tool calling, as the vendor reported it. */
export interface RecordedCall {
  /** Id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** The arguments as JSON text, not parsed. */
  readonly arguments: string;
}

/**
 * The complete input and output of a step, without API keys (rule: recorded-steps). It is plain JSON. The step can be
 * repeated anywhere, because `request.inline_context` contains every file and pinned item that the service read.
 */
export interface RecordedStep {
  /** The request as sent to `react_step`, or as a compatible endpoint translated it; without API keys. */
  readonly request: Omit<StepRequest, 'user_api_keys'> & {
    /** Restrictions for the client, if the request came through a compatible endpoint; otherwise absent. */
    readonly terms?: ClientTerms | undefined;
  };
  /** The prompt as the model read it. */
  readonly prompt: Pick<Preview, 'system' | 'messages' | 'native_tools' | 'prompt_sha256'>;
  /** The model's original text. */
  readonly completion_text: string;
  /** The calls of the vendor's own tool calling; absent if there were none. */
  readonly completion_calls?: readonly RecordedCall[] | undefined;
  /** The step's result, with the full context report and without the parts that only repeat the request. */
  readonly response: Omit<
    Step,
    'updated_conversation_history' | 'request_id' | 'completion_text' | 'recorded_step'
  >;
  /** Version of the service whose parser read the reply. */
  readonly parser_version: string;
  /** Start of the step (ISO 8601). */
  readonly began_at: string;
  /** Duration of the whole step, including the model call. */
  readonly duration_ms: number;
}
