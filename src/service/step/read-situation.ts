import type { Turn } from '../../contract/history.js';
import type { Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import {
  callsOf,
  type Mispairing,
  observationsOf,
  type PairedCall,
  readHistory,
  type Unit,
} from '../../conversation/units.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import { type OfferedTool, toOfferedTool } from '../../parsing/arguments/offered-tool.js';
import { readSignatures } from '../../parsing/segment/signatures.js';
import type { JsonValue } from '../../parsing/text/scanner.js';
import { countValues } from './history/json-values.js';
import { orderTools, orderTurns } from './history/order-keys.js';
import { countSignals, isReadOnly, type LoopSignals, type SignalCall } from './history/signals.js';
import { StepRefused } from './interruption.js';
import type { TaughtProtocol } from './prompt/render-unit.js';
import { chooseReplyFormat, type ReplyFormat } from './prompt/reply-format.js';
import { sampleArguments } from './prompt/sample-call.js';
import type { MustAnswer } from './prompt/tail.js';
import { exampleSubject } from './prompt/templates/example.js';
import type { ModelProfile } from './provider.js';

/** What a reply is read against. It waits for the model, with thousands of others: it holds no file and no observation. */
export interface ReplySituation {
  readonly request: Pick<
    StepRequest,
    'session_id' | 'llm_config' | 'phase' | 'max_iterations_left' | 'include'
  >;
  /** The user turn this step begins with, if it is new. */
  readonly newTurn: Turn | undefined;
  readonly calls: readonly (SignalCall & Pick<PairedCall, 'id'>)[];
  readonly tools: readonly ToolDefinition[];
  /** What the reader accepts: the defined tools and those read from the free text. */
  readonly offered: readonly OfferedTool[];
  readonly protocol: TaughtProtocol;
  /** What the reply is held to; absent if the protocol or the model knows nothing of the kind. */
  readonly replyFormat: ReplyFormat | undefined;
  readonly isLast: boolean;
  readonly mustAnswer: MustAnswer | undefined;
  readonly warnings: readonly Warning[];
}

/** All that a step knows before it looks at any context: a pure function of the request and the model. */
export interface Situation extends ReplySituation {
  readonly request: StepRequest;
  readonly units: readonly Unit[];
  /** What to show a call of: the model is not known to act in a form that it is only told. */
  readonly example: ExampleCall | undefined;
  readonly signals: LoopSignals;
}

/** Throws `StepRefused` if the request asks for what cannot be, and the reason of a signal that is aborted. */
export async function readSituation(
  request: StepRequest,
  profile: ModelProfile,
  signal?: AbortSignal,
): Promise<Situation> {
  const newTurn = newUserTurn(request);
  const history = newTurn ? [...request.conversation_history, newTurn] : request.conversation_history;
  if (!history.some((turn) => turn.role === 'user')) throw noTask();
  const { tools: sent = [], available_tools_prompt_segment: segment = '' } = request;
  const tools = sent.length > 0 ? await orderTools(sent, signal) : sent;
  const offered = tools.length > 0 || segment !== '' ? await offeredTools(tools, segment, signal) : [];
  const { units, mispairings } = readHistory(await orderTurns(history, offered, signal));
  const calls = callsOf(units);
  const protocol = chooseProtocol(request, profile);
  const replyFormat =
    protocol === 'json'
      ? await chooseReplyFormat({ offered, phase: request.phase }, profile, signal)
      : undefined;
  const isLast = request.max_iterations_left === 1 && (request.phase ?? 'observe') === 'observe';
  return {
    request,
    newTurn,
    units,
    calls,
    tools,
    offered,
    protocol,
    replyFormat,
    example: profile.needsExample ? await chooseExample(offered, tools, signal) : undefined,
    isLast,
    mustAnswer: mustAnswer(request, isLast, units),
    signals: countSignals(calls, tools),
    warnings: [
      ...windowWarning(request, profile.contextWindow),
      ...(replyFormat?.warnings ?? []),
      ...pairingWarnings(mispairings),
    ],
  };
}

/** What is left of a situation when its prompt is on its way. */
export function toReplySituation(situation: Situation): ReplySituation {
  const { session_id, llm_config, phase, max_iterations_left, include } = situation.request;
  const { newTurn, calls, tools, offered, protocol, replyFormat, isLast, mustAnswer, warnings } = situation;
  return {
    request: { session_id, llm_config, phase, max_iterations_left, include },
    newTurn,
    calls: calls.map(withoutText),
    tools,
    offered,
    protocol,
    replyFormat,
    isLast,
    mustAnswer,
    warnings,
  };
}

function withoutText({ id, name, parameters, observation }: Situation['calls'][number]) {
  if (!observation) return { id, name, parameters };
  const { isError, isDenied } = observation;
  return { id, name, parameters, observation: { isError, isDenied } };
}

/** The query becomes a turn unless it is empty, or equals the last task and no answer followed that (rule: task-turn). */
function newUserTurn({ user_query: query, conversation_history: history }: StepRequest): Turn | undefined {
  if (query === '') return undefined;
  const last = history.findLastIndex((turn) => turn.role === 'user' && turn.kind === undefined);
  const isAnswered = history
    .slice(last + 1)
    .some((turn) => turn.role === 'assistant' && !turn.toolCall && !turn.phase);
  const isKnown = history[last]?.content === query && !isAnswered;
  return isKnown ? undefined : { role: 'user', content: query };
}

function noTask(): StepRefused {
  const message = 'must say the task: the history has no user turn';
  return new StepRefused('invalid_request', [{ path: 'user_query', code: 'no_task', message }]);
}

/** `auto` depends on the model and the request alone, so that every replica teaches alike (rule: auto-protocol). */
function chooseProtocol({ protocol, tools = [] }: StepRequest, profile: ModelProfile): TaughtProtocol {
  if (protocol === 'auto' && profile.nativeTools === 'good' && tools.length > 0) return 'native';
  if (protocol === 'auto') return typeof profile.structured === 'object' ? 'json' : 'text';
  if (protocol !== 'native' || tools.length > 0) return protocol ?? 'text';
  const message = 'native calling needs tools with an inputSchema';
  throw new StepRefused('invalid_request', [{ path: 'tools', code: 'tools_required', message }]);
}

/** A tool with arguments to show it by; without where there is no sample of a call of it. */
interface ExampleCall {
  readonly tool: OfferedTool;
  readonly parameters?: Readonly<Record<string, JsonValue>>;
}

/** So many tools are tried. */
const MOST_EXAMPLES = 8;
/** What seeking a sample of a value books of the event loop. */
const SAMPLING = 16;

/**
 * The first tool of which there is a sample call, those that only read before the others: an example should not ask for a
 * change. Where there is none, the first of them.
 */
async function chooseExample(
  offered: readonly OfferedTool[],
  tools: readonly ToolDefinition[],
  signal: AbortSignal | undefined,
): Promise<ExampleCall | undefined> {
  const reads = isReadOnly(tools);
  const candidates = [...offered.filter(reads), ...offered.filter((tool) => !reads(tool))];
  for (const tool of candidates.slice(0, MOST_EXAMPLES)) {
    await eventLoopShare.take(SAMPLING * countValues(tool.inputSchema), signal);
    const parameters = sampleArguments(tool, exampleSubject);
    if (parameters) return { tool, parameters };
  }
  return candidates[0] && { tool: candidates[0] };
}

/** What reading a character of free text books of the event loop. */
const READING = 4;

/** The first tool of a name wins. */
async function offeredTools(
  tools: readonly ToolDefinition[],
  segment: string,
  signal: AbortSignal | undefined,
): Promise<OfferedTool[]> {
  const take = async (characters: number) => eventLoopShare.take(READING * characters, signal);
  const defined: OfferedTool[] = [];
  for (const tool of tools) {
    await take(countValues(tool.inputSchema));
    defined.push(toOfferedTool(tool));
  }
  const read = readSignatures(segment);
  if (defined.length === 0) return read;
  const byName = new Map(defined.toReversed().map((tool) => [tool.name, tool]));
  return [...[...byName.values()].reverse(), ...read.filter(({ name }) => !byName.has(name))];
}

function mustAnswer(request: StepRequest, isLast: boolean, units: readonly Unit[]): MustAnswer | undefined {
  if (endsTerminally(units)) return 'terminal_error';
  return isLast && request.on_last_iteration !== 'allow_action' ? 'last_iteration' : undefined;
}

/** Whether the run ended with what was observed last: after an answer or a new task it goes on (rule: terminal-observation). */
function endsTerminally(units: readonly Unit[]): boolean {
  const newest = units.findLast((unit) => unit.type !== 'user' || unit.isTask);
  return newest !== undefined && observationsOf(newest).some(({ isTerminal }) => isTerminal);
}

function windowWarning({ llm_config: config }: StepRequest, window: number | null): Warning[] {
  if (window === null || config.tokenLimit <= window) return [];
  const message = `tokenLimit ${config.tokenLimit} is above the model's window of ${window} tokens`;
  return [{ code: 'token_limit_above_window', message }];
}

/** So many mispairings are named, the newest. */
const MOST_PAIRING_WARNINGS = 20;

const mispairingTexts = {
  unknown_tool_call_id: 'its toolCallId names no call of the history',
  call_without_observation: 'the call has no observation; the model is told that it was not run',
  observation_without_call: 'no call waits for this observation; the model sees it as text of the user',
  duplicate_observation: 'its call has an observation already; the model sees this one as text of the user',
} as const satisfies Record<Mispairing['kind'], string>;

/** What in the history did not pair (rule: pairing-warnings). */
function pairingWarnings(mispairings: readonly Mispairing[]): Warning[] {
  return mispairings.slice(-MOST_PAIRING_WARNINGS).map(({ kind, index }) => ({
    code: kind,
    message: `conversation_history[${index}]: ${mispairingTexts[kind]}`,
  }));
}
