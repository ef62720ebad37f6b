import { createHash } from 'node:crypto';
import type { Protocol } from '../../contract/protocol.js';
import type { StepInput } from '../step/react-step.js';
import type { NeutralRequest } from './wire.js';

/** Project id of every step: `/v1` reads no project (rule: compatible-identity). */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000';
/** Far more steps than one request makes, so that no step is treated as the last one of its run. */
const ITERATIONS_LEFT = 100;

/** The budget of a prompt with its reply, in tokens. */
export interface ChosenBudget {
  readonly tokenLimit: number;
  readonly outputLimit: number;
}

/** The choices that the model and the client's headers make for a request. */
export interface StepChoices extends ChosenBudget {
  /** The configured upstream; undefined if the model's name decides. */
  readonly provider: string | undefined;
  readonly modelName: string;
  readonly protocol: Protocol;
  /** Name of the caller's token; undefined without tokens. */
  readonly caller: string | undefined;
}

/** Returns the step that answers a request (rules: compatible-identity, client-terms). */
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
 * Returns the session of a conversation: a UUID of version 8 from the client's own name for it, else from its system text
 * and its first message, which stay the same in all its requests.
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
 * Maximum output limit in tokens if the client sets none; up to this, it is a quarter of the
 * window.
 */
const MAX_DEFAULT_OUTPUT = 4_096;
/**
 * Largest part of the window for the reply. Agents ask for 32,000 tokens of output of any model, which would leave a
 * model with a small window no room for a prompt.
 */
const MAX_OUTPUT_SHARE = 0.5;

/** Returns the budget in a window of `tokenLimit` tokens (rule: compatible-budget). */
export function chooseBudget(tokenLimit: number, wanted: number | undefined): ChosenBudget {
  const usual = Math.min(Math.floor(tokenLimit / 4), MAX_DEFAULT_OUTPUT);
  const largest = Math.floor(tokenLimit * MAX_OUTPUT_SHARE);
  return { tokenLimit, outputLimit: Math.max(1, Math.min(wanted ?? usual, largest)) };
}
