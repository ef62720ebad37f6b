import { createHash } from 'node:crypto';
import type { Protocol } from '../../contract/protocol.js';
import type { StepInput } from '../step/react-step.js';
import type { NeutralRequest } from './wire.js';

/** Project id of every step, because a request to `/v1` names no project (rule: compatible-identity). */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000';
/** A number far above the steps that one request makes, so that no step is treated as the last one of its run. */
const ITERATIONS_LEFT = 100;

/** The token budget of a prompt and its reply. */
export interface ChosenBudget {
  readonly tokenLimit: number;
  readonly outputLimit: number;
}

/** Settings of a step that follow from the model and from the client's headers. */
export interface StepChoices extends ChosenBudget {
  /** The configured upstream; undefined if the model's name decides. */
  readonly provider: string | undefined;
  readonly modelName: string;
  readonly protocol: Protocol;
  /** Name of the caller's token; undefined without tokens. */
  readonly caller: string | undefined;
}

/** Returns the step request for a request to a compatible endpoint (rules: compatible-identity, client-terms). */
export function toStepRequest(request: NeutralRequest, choices: StepChoices): StepInput {
  const { tools, toolChoice, instructions, settings, turns, answerSchema } = request;
  const { provider, modelName, protocol, tokenLimit, outputLimit, caller } = choices;
  const definitions = [...tools.definitions];
  return {
    project_id: NO_PROJECT,
    session_id: sessionOf(request, caller),
    user_query: '',
    conversation_history: [...turns],
    llm_config: {
      modelName,
      provider,
      tokenLimit,
      reservedOutputTokens: outputLimit,
      temperature: settings.temperature,
      seed: settings.seed,
      reasoningEffort: settings.reasoningEffort,
    },
    max_iterations_left: ITERATIONS_LEFT,
    tools: definitions,
    protocol,
    instructions,
    answer_schema: answerSchema,
    terms: { toolChoice: definitions.length === 0 ? 'none' : toolChoice },
  };
}

/**
 * Returns the session id of a conversation, a version 8 UUID. It is derived from the client's own name for the
 * conversation or, without a name, from the system text and the first message, which are the same in all requests of
 * the conversation.
 */
function sessionOf({ cacheKey, instructions, turns }: NeutralRequest, caller = ''): string {
  const first = turns.find(({ role }) => role === 'user')?.content ?? '';
  const named = cacheKey === undefined ? [instructions, first] : [cacheKey];
  const bytes = createHash('sha256')
    .update(JSON.stringify([caller, ...named]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Maximum of the default output limit, in tokens. The default is a quarter of the context window, if the client sets
 * no limit.
 */
const MAX_DEFAULT_OUTPUT = 4_096;
/**
 * Maximum share of the context window that the reply may use. Agents request 32,000 output tokens from any model,
 * which would leave no room for a prompt in a small window.
 */
const MAX_OUTPUT_SHARE = 0.5;

/** Returns the budget for a context window of `tokenLimit` tokens (rule: compatible-budget). */
export function chooseBudget(tokenLimit: number, wanted: number | undefined): ChosenBudget {
  const usual = Math.min(Math.floor(tokenLimit / 4), MAX_DEFAULT_OUTPUT);
  const largest = Math.floor(tokenLimit * MAX_OUTPUT_SHARE);
  return { tokenLimit, outputLimit: Math.max(1, Math.min(wanted ?? usual, largest)) };
}
