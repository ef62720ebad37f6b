import type { Turn } from '../../contract/history.js';
import type { ClientTerms } from '../../contract/recorded-step.js';
import type { Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { resultText } from '../../conversation/observation-text.js';
import {
  callsOf,
  type Mispairing,
  observationsOf,
  readHistory,
  type Unit,
} from '../../conversation/units.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import { type OfferedTool, parameterOrder, toOfferedTool } from '../../parsing/arguments/offered-tool.js';
import { readSignaturesPausing } from '../../parsing/segment/signatures.js';
import { requireAnswerSchema } from './answer-schema.js';
import { attachmentWarnings, weighAttachments } from './history/attachments.js';
import { readDiscoveries } from './history/found-tools.js';
import { sameValue } from './history/json-values.js';
import { orderTools, orderTurns } from './history/order-keys.js';
import { keepOwnStates } from './history/provider-state.js';
import { countSignals } from './history/signals.js';
import { StepRefused } from './interruption.js';
import { ANSWER_TOOL, answerTool } from './prompt/answer-tool.js';
import { FIND_TOOLS, findTools } from './prompt/deferred-tools.js';
import { chooseExample } from './prompt/example.js';
import { describeTool } from './prompt/instructions.js';
import { chooseNativeFormat, chooseReplyFormat } from './prompt/reply-format.js';
import type { ModelProfile } from './provider.js';
import {
  type AnswerType,
  expectsPlainText,
  type MustAnswer,
  type ReplyFormat,
  type ReplySituation,
  type Situation,
  type TaughtProtocol,
  usesIteration,
} from './types.js';

/**
 * A request of a step. `terms` is present if the request comes through a compatible endpoint, whose client cannot
 * read the outcome of a step.
 */
export type StepInput = StepRequest & { readonly terms?: ClientTerms };

/**
 * Computes everything that follows from the request and the model alone. Throws `StepRefused` if the request
 * cannot be satisfied, and the signal's reason once it is aborted.
 */
export async function readSituation(
  request: StepInput,
  profile: ModelProfile,
  signal?: AbortSignal,
): Promise<Situation> {
  const { terms: clientTerms } = request;
  requireExtensions(request);
  const newTurn = newUserTurn(request);
  const history = newTurn ? [...request.conversation_history, newTurn] : request.conversation_history;
  if (!clientTerms && !history.some((turn) => turn.role === 'user')) throw noTask();
  // `tools`: in the prompt from the start, with `find_tools` if a tool is deferred. `found`: deferred tools that a
  // search found. `known`: every tool that the parser knows, also those that only the free text mentions. `offered`:
  // the same, but deferred tools that were not found are withheld. `callable`: `offered` without the withheld tools.
  const defined = await orderTools(withoutDuplicates(request.tools ?? []), signal);
  const { tools, deferred } = splitTools(defined);
  const known = await offerTools(
    [...tools, ...deferred],
    request.available_tools_prompt_segment ?? '',
    signal,
  );
  const { units: read, mispairings } = readHistory(await orderTurns(history, known, signal));
  const { units: own, warnings: stateWarnings } = keepOwnStates(read, profile.stateOrigin);
  const protocol = chooseProtocol(request, profile);
  const hasExample = profile.needsExample && !expectsPlainText({ clientTerms });
  const discoveries = readDiscoveries(own, {
    tools: defined,
    describe: protocol === 'native' ? undefined : (tool) => describeFoundTool(tool, protocol, hasExample),
  });
  const { found } = discoveries;
  const offered = deferred.length === 0 ? known : withholdOthers(known, { deferred, found });
  const callable = deferred.length === 0 ? known : offered.filter(({ withheld }) => withheld === undefined);
  const units = weighAttachments(discoveries.units, profile.vision);
  const calls = callsOf(units);
  const isLast = request.max_iterations_left === 1 && usesIteration(request);
  const mustAnswer = chooseMustAnswer(request, isLast, units);
  const { answerType, warnings: answerWarnings } = await readAnswerType(request, {
    protocol,
    profile,
    offered,
  });
  const answerSchema = answerType?.schema;
  const replyFormat =
    protocol === 'json' && !expectsPlainText({ clientTerms })
      ? await chooseReplyFormat(
          { offered: callable, phase: request.phase, answerSchema, toolChoice: clientTerms?.toolChoice },
          profile,
          signal,
        )
      : answerFormat({ request, protocol, mustAnswer, clientTerms }, answerSchema, profile);
  return {
    request,
    newTurn,
    units,
    calls,
    tools,
    found,
    deferred,
    offered,
    protocol,
    replyFormat,
    answerType,
    example: hasExample ? chooseExample(callable, tools) : undefined,
    isLast,
    mustAnswer,
    clientTerms,
    signals: countSignals(calls, [...tools, ...found]),
    warnings: [
      ...windowWarning(request, profile.contextWindow),
      ...answerWarnings,
      ...(replyFormat?.warnings ?? []),
      ...pairingWarnings(mispairings),
      ...discoveries.warnings,
      ...stateWarnings,
      ...attachmentWarnings(history, profile.vision),
      ...hiddenResultWarnings(request.conversation_history),
    ],
  };
}

/** Copies those parts of a situation that are still needed once the prompt has been sent (rule: lean-waiting). */
export function toReplySituation(situation: Situation): ReplySituation {
  const { session_id, llm_config, phase, max_iterations_left, include } = situation.request;
  const { newTurn, calls, tools, found, offered, protocol, isLast, mustAnswer, clientTerms, warnings } =
    situation;
  const { replyFormat, answerType } = situation;
  return {
    request: { session_id, llm_config, phase, max_iterations_left, include },
    newTurn,
    calls: calls.map(withoutText),
    tools,
    found,
    offered,
    protocol,
    replyFormat,
    answerType,
    isLast,
    mustAnswer,
    clientTerms,
    warnings,
  };
}

function withoutText({ id, name, parameters, observation }: Situation['calls'][number]) {
  if (!observation) return { id, name, parameters };
  const { isError, isDenied } = observation;
  return { id, name, parameters, observation: { isError, isDenied } };
}

/**
 * Returns the query and its attachments as a turn. Returns undefined if both are empty, or if they repeat the last
 * task and that task is still unanswered (rule: task-turn).
 */
function newUserTurn(request: StepRequest): Turn | undefined {
  const { user_query: content, attachments = [], conversation_history: history } = request;
  if (content === '' && attachments.length === 0) return undefined;
  const last = history.findLastIndex((turn) => turn.role === 'user' && turn.kind === undefined);
  const isAnswered = history
    .slice(last + 1)
    .some((turn) => turn.role === 'assistant' && !turn.toolCall && !turn.phase);
  const task = history[last];
  const isSame =
    task?.content === content && (attachments.length === 0 || sameValue(attachments, task.attachments));
  if (isSame && !isAnswered) return undefined;
  return { role: 'user', content, ...(attachments.length > 0 && { attachments }) };
}

function noTask(): StepRefused {
  const message = 'must state the task, because conversation_history has no user turn';
  return new StepRefused('invalid_request', [{ path: 'user_query', code: 'no_task', message }]);
}

/**
 * Throws `StepRefused` if the response would need fields that the caller excluded by `include.extensions: false`
 * (rule: source-fields).
 */
function requireExtensions({ include, protocol, phase, attachments, answer_schema }: StepRequest): void {
  if (include?.extensions !== false) return;
  const fields = [
    ...(protocol === 'native' ? ['protocol'] : []),
    ...(phase ? ['phase'] : []),
    ...(answer_schema ? ['answer_schema'] : []),
    ...(attachments && attachments.length > 0 ? ['attachments'] : []),
  ];
  if (fields.length === 0) return;
  const message = 'the answer would need extensions, but include.extensions is false';
  const details = fields.map((path) => ({ path, code: 'extensions_required', message }));
  throw new StepRefused('invalid_request', details);
}

/**
 * Chooses the protocol if the request says `auto`. The choice depends only on the model and the request, so every
 * process asks the model for the same form (rule: auto-protocol).
 */
function chooseProtocol(
  { protocol, tools = [], include, terms: clientTerms }: StepInput,
  profile: ModelProfile,
): TaughtProtocol {
  const mayCallNatively = tools.length > 0 && include?.extensions !== false;
  if (protocol === 'auto' && profile.nativeTools === 'good' && mayCallNatively) return 'native';
  if (protocol === 'auto') return typeof profile.structured === 'object' ? 'json' : 'text';
  if (protocol !== 'native' || tools.length > 0) return protocol ?? 'text';
  if (clientTerms) return 'text'; // no tools to call, so that only past calls are written
  const message = 'protocol "native" needs at least one tool with an inputSchema';
  throw new StepRefused('invalid_request', [{ path: 'tools', code: 'tools_required', message }]);
}

/**
 * Returns the form of the final answer that the caller asked for. Throws `StepRefused` if its schema cannot be used
 * (rules: typed-answers, answer-schema).
 */
async function readAnswerType(
  { answer_schema: sent, phase, terms: clientTerms }: StepInput,
  { protocol, profile: { structured }, offered }: AnswerBasis,
): Promise<{ answerType?: AnswerType; warnings: Warning[] }> {
  if (!sent) return { warnings: [] };
  const warnings = requireAnswerSchema(sent);
  const [ordered] = await orderTools([{ name: ANSWER_TOOL, inputSchema: sent }], undefined);
  const schema = ordered?.inputSchema ?? sent;
  const isConstrained = typeof structured === 'object' && structured.besideTools === true;
  const needsTool = protocol === 'native' && !phase && !isConstrained && !expectsPlainText({ clientTerms });
  return { answerType: { schema, tool: needsTool ? answerTool(schema, offered) : undefined }, warnings };
}

interface AnswerBasis {
  readonly protocol: TaughtProtocol;
  readonly profile: ModelProfile;
  readonly offered: readonly OfferedTool[];
}

/**
 * Returns the schema for replies that consist only of the answer: those of a native model, or for a client that
 * allows no tools.
 */
function answerFormat(
  { request, protocol, mustAnswer, clientTerms }: AnswerSituation,
  answerSchema: AnswerType['schema'] | undefined,
  profile: ModelProfile,
): ReplyFormat | undefined {
  const isPlainText = expectsPlainText({ clientTerms });
  if (!answerSchema || request.phase || (protocol !== 'native' && !isPlainText)) return undefined;
  return chooseNativeFormat(answerSchema, profile, { mayAct: mustAnswer === undefined && !isPlainText });
}

type AnswerSituation = Pick<Situation, 'request' | 'protocol' | 'mustAnswer' | 'clientTerms'>;

/**
 * Keeps only the first definition of each tool name, because vendors reject a request with two tools of the same
 * name.
 */
function withoutDuplicates(tools: readonly ToolDefinition[]): ToolDefinition[] {
  const first = new Map<string, ToolDefinition>();
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool);
  return [...first.values()];
}

/**
 * Separates the deferred tools from those that every prompt of the run defines, which include `find_tools` if any
 * tool is deferred. Throws `StepRefused` if a tool of the caller is named `find_tools` (rule: deferred-tools).
 */
function splitTools(defined: readonly ToolDefinition[]): Pick<Situation, 'tools' | 'deferred'> {
  const deferred = defined.filter(({ defer }) => defer);
  if (deferred.length === 0) return { tools: defined, deferred };
  if (defined.some(({ name }) => name === FIND_TOOLS)) throw reservedName();
  return { tools: [...defined.filter(({ defer }) => !defer), findTools], deferred };
}

function reservedName(): StepRefused {
  const message = `the service offers a tool named ${FIND_TOOLS} if a tool is deferred: rename yours, or defer none`;
  return new StepRefused('invalid_request', [{ path: 'tools', code: 'reserved_name', message }]);
}

const describeFoundTool = (tool: ToolDefinition, protocol: TaughtProtocol, inWords: boolean): string =>
  describeTool(tool, parameterOrder(tool.inputSchema), { protocol, inWords });

/**
 * Puts the tools that a tool search found after those that are not deferred, and withholds the other deferred
 * tools.
 */
function withholdOthers(
  known: readonly OfferedTool[],
  { deferred, found }: Pick<Situation, 'deferred' | 'found'>,
): OfferedTool[] {
  const deferredNames = new Set(deferred.map(({ name }) => name));
  const foundTools = found.map(toOfferedTool);
  const foundNames = new Set(found.map(({ name }) => name));
  const direct = known.filter(({ name }) => !deferredNames.has(name));
  const others = known.filter(({ name }) => deferredNames.has(name) && !foundNames.has(name));
  return [...direct, ...foundTools, ...others.map((tool) => ({ ...tool, withheld }))];
}

const withheld = `cannot be called yet: find it with ${FIND_TOOLS} first`;

/** Returns the defined tools, followed by those that only the caller's free text mentions. */
async function offerTools(
  tools: readonly ToolDefinition[],
  segment: string,
  signal: AbortSignal | undefined,
): Promise<OfferedTool[]> {
  const defined: OfferedTool[] = [];
  for (const tool of tools) {
    await yieldIfBusy(signal);
    defined.push(toOfferedTool(tool));
  }
  const names = new Set(defined.map(({ name }) => name));
  const read = await readSignaturesPausing(segment, () => yieldIfBusy(signal));
  return [...defined, ...read.filter(({ name }) => !names.has(name))];
}

function chooseMustAnswer(
  request: StepRequest,
  isLast: boolean,
  units: readonly Unit[],
): MustAnswer | undefined {
  if (endsTerminally(units)) return 'terminal_error';
  return isLast && request.on_last_iteration !== 'allow_action' ? 'last_iteration' : undefined;
}

/**
 * Returns whether the latest observation is terminal and is not followed by an answer or a new task (rule:
 * terminal-observation).
 */
function endsTerminally(units: readonly Unit[]): boolean {
  const newest = units.findLast((unit) => unit.type !== 'user' || unit.isTask);
  return newest !== undefined && observationsOf(newest).some(({ isTerminal }) => isTerminal);
}

function windowWarning({ llm_config: config }: StepRequest, window: number | null): Warning[] {
  if (window === null || config.tokenLimit <= window) return [];
  const message = `tokenLimit ${config.tokenLimit} is larger than the model's context window of ${window} tokens`;
  return [{ code: 'token_limit_above_window', message }];
}

/** Maximum number of warnings about calls and results that do not match; older ones are omitted. */
const MAX_PAIRING_WARNINGS = 20;

const mispairingTexts = {
  unknown_tool_call_id: 'its toolCallId matches no call in the history',
  call_without_observation: 'the call has no observation; the prompt states that it was not run',
  observation_without_call: 'the observation belongs to no call; the prompt contains it as text of the user',
  duplicate_observation:
    'its call already has an observation; the prompt contains this one as text of the user',
} as const satisfies Record<Mispairing['kind'], string>;

/** Returns warnings for calls without observations and observations without calls (rule: pairing-warnings). */
function pairingWarnings(mispairings: readonly Mispairing[]): Warning[] {
  return mispairings.slice(-MAX_PAIRING_WARNINGS).map(({ kind, index }) => ({
    code: kind,
    message: `conversation_history[${index}]: ${mispairingTexts[kind]}`,
  }));
}

/**
 * Returns warnings for tool results that the model does not get because their observation also has a text (rule:
 * observation-text).
 */
function hiddenResultWarnings(history: readonly Turn[]): Warning[] {
  const hidden = [...history.keys()].filter((index) => hasHiddenResult(history[index]));
  return hidden.slice(-MAX_PAIRING_WARNINGS).map((index) => ({
    code: 'tool_result_not_shown',
    message: `conversation_history[${index}]: the model sees content, not toolResult.result; leave one of them out`,
  }));
}

function hasHiddenResult(turn: Turn | undefined): boolean {
  const result = turn?.toolResult?.result ?? undefined;
  return result !== undefined && turn?.content !== '' && resultText(result) !== turn?.content;
}
