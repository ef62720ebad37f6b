import type { Turn } from '../../contract/history.js';
import type { ClientTerms } from '../../contract/recorded-step.js';
import type { Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { callsOf, hasContent, observationsOf, type Unit } from '../../conversation/units.js';
import { sameValue } from './history/json-values.js';
import { readRun } from './history/read-run.js';
import { countSignals } from './history/signals.js';
import { StepRefused } from './interruption.js';
import { readAnswerType } from './prompt/answer-type.js';
import { describeTool } from './prompt/instructions.js';
import { chooseReplyFormat } from './prompt/reply-format.js';
import type { ModelProfile } from './provider.js';
import { offerFound, readTools } from './read-tools.js';
import {
  expectsPlainText,
  isLastIteration,
  type MustAnswer,
  type Situation,
  type TaughtProtocol,
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
  if (!clientTerms && !history.some((turn) => turn.role === 'user' && hasContent(turn))) throw noTask();
  const { defined, tools, deferred, known, warnings: toolWarnings } = await readTools(request, signal);
  const protocol = chooseProtocol(request, profile);
  const needsExample = profile.needsExample && !expectsPlainText({ clientTerms });
  const describe =
    protocol === 'native'
      ? undefined
      : (tool: ToolDefinition) => describeTool(tool, { protocol, needsExample });
  const run = await readRun(history, { known, profile, tools: defined, describe }, signal);
  const { units, found } = run;
  const calls = callsOf(units);
  const offered = offerFound(known, found);
  const mustAnswer = chooseMustAnswer(request, units);
  const basis = { request, protocol, offered, mustAnswer, clientTerms };
  const { answerType, warnings: answerWarnings } = readAnswerType(basis, profile);
  const replyFormat = await chooseReplyFormat({ ...basis, answerType }, profile, signal);
  return {
    ...basis,
    newTurn,
    units,
    calls,
    tools,
    found,
    deferred,
    replyFormat,
    answerType,
    needsExample,
    signals: countSignals(calls, [...tools, ...found]),
    warnings: [
      ...windowWarning(request, profile.contextWindow),
      ...toolWarnings,
      ...answerWarnings,
      ...(replyFormat?.warnings ?? []),
      ...run.warnings,
    ],
  };
}

/**
 * Returns the query and its attachments as a turn. Returns undefined if the query is blank and there are no
 * attachments, or if they repeat the last task and that task is still unanswered (rule: task-turn).
 */
function newUserTurn(request: StepRequest): Turn | undefined {
  const { user_query: content, attachments = [], conversation_history: history } = request;
  const asked: Turn = { role: 'user', content, ...(attachments.length > 0 && { attachments }) };
  if (!hasContent(asked)) return undefined;
  const last = history.findLastIndex((turn) => turn.role === 'user' && turn.kind === undefined);
  const isAnswered = history
    .slice(last + 1)
    .some((turn) => turn.role === 'assistant' && !turn.toolCall && !turn.phase);
  const task = history[last];
  const isSame =
    task?.content === content && (attachments.length === 0 || sameValue(attachments, task.attachments));
  if (isSame && !isAnswered) return undefined;
  return asked;
}

function noTask(): StepRefused {
  const message = 'must state the task, because no user turn of conversation_history has a text';
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

function chooseMustAnswer(request: StepRequest, units: readonly Unit[]): MustAnswer | undefined {
  if (endsTerminally(units)) return 'terminal_error';
  return isLastIteration(request) && request.on_last_iteration !== 'allow_action'
    ? 'last_iteration'
    : undefined;
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
