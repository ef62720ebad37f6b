import type { ReportItem } from '../../../contract/context-report.js';
import type { ClientTerms } from '../../../contract/recorded-step.js';
import type { StepRequest, Task } from '../../../contract/step-request.js';
import { renderTasks, taskLegend } from '../../../conversation/task-list.js';
import { cutLines } from '../../context/cutting/cut-lines.js';
import type { TokenLimit } from '../../context/cutting/cut-source.js';
import { fence } from '../../context/fence.js';
import { type FocusToFit, fitFocus } from '../../context/fitting/fit-focus.js';
import { advise } from '../history/signals.js';
import { expectsPlainText, type Situation, type TaughtProtocol } from '../types.js';
import {
  answerInJsonTemplate,
  answerOrderTemplates,
  callOfTemplate,
  callTemplate,
  continueTemplate,
  jsonPhaseTemplates,
  phaseTemplates,
} from './templates/orders.js';

export interface Tail {
  readonly text: string;
  readonly tokens: number;
  readonly items: readonly ReportItem[];
}

/**
 * Builds the last block of the last message within a token limit: tasks, focus file, advice and final instructions
 * (rule: tail). If there are too few tokens, keeps the final instructions first, then the advice, then the tasks.
 */
export async function buildTail(
  situation: Situation,
  focus: FocusToFit | undefined,
  limit: TokenLimit,
): Promise<Tail> {
  const { counter } = limit;
  const orders = ordersOf(situation);
  let left = limit.tokens - (await counter.count(orders));
  const wantedAdvice = adviceFor(situation);
  const advice = (await counter.count(wantedAdvice)) <= left ? wantedAdvice : '';
  left -= await counter.count(advice);
  const tasks = await listTasks(situation.request.tasks ?? [], { tokens: left, counter });
  left -= await counter.count(tasks);
  const fitted = focus && (await fitFocus(focus, { tokens: left, counter }));
  const text = `${tasks}${fitted?.block ?? ''}${advice}${orders}`;
  return { text, tokens: await counter.count(text), items: fitted ? [fitted.item] : [] };
}

/**
 * Returns the advice to a model whose run seems stuck. The client of a compatible endpoint decides itself when its
 * loop ends, so its model gets only the advice about repeated calls (rule: client-terms).
 */
function adviceFor(situation: Situation): string {
  const { signals, clientTerms } = situation;
  if (expectsPlainText(situation)) return '';
  const heeded = clientTerms ? { ...signals, consecutive_read_only: 0, consecutive_errors: 0 } : signals;
  return advise(heeded) ?? '';
}

async function listTasks(tasks: readonly Task[], limit: TokenLimit): Promise<string> {
  if (tasks.length === 0 || limit.tokens <= 0) return '';
  const render = ({ text }: { text: string }) =>
    fence({ tag: 'tasks', attributes: { legend: taskLegend }, text });
  const fitted = await cutLines({ text: renderTasks(tasks), render }, limit);
  return fitted?.rendered ?? '';
}

/**
 * Returns all instructions with which the tail may end in any step of this run. The tokens reserved for the tail must
 * suffice for the longest one (rule: tail-reserve).
 */
export function possibleEnds(situation: OrderBasis): string[] {
  const { request } = situation;
  if (expectsPlainText(situation)) return [continueTemplate];
  const phases = request.phase ? phaseNames : [undefined];
  return phases.flatMap((phase) =>
    ([undefined, 'last_iteration', 'terminal_error'] as const).map((mustAnswer) => {
      const orders = ordersOf({ ...situation, request: { ...request, phase }, mustAnswer });
      return mustAnswer ? orders : orders + continueTemplate;
    }),
  );
}

type OrderBasis = Pick<Situation, 'request' | 'protocol' | 'mustAnswer' | 'clientTerms'>;

const phaseNames = ['reason', 'act', 'observe'] as const satisfies readonly StepRequest['phase'][];

/** Returns the instruction for a phase: the caller's own text, otherwise the default (rule: phases). */
function phaseOrder({ phase, phase_instructions: own }: StepRequest, protocol: TaughtProtocol): string {
  if (!phase) return '';
  const words = own?.[phase]?.trim();
  if (words) return `${words}\n`;
  return protocol === 'json' ? jsonPhaseTemplates[phase] : phaseTemplates[phase];
}

/**
 * Returns the instruction to call a tool if the client demands a call, otherwise an empty text
 * (rule: client-terms).
 */
function callOrder(clientTerms: ClientTerms | undefined): string {
  const choice = clientTerms?.toolChoice;
  if (choice === 'required') return callTemplate;
  return typeof choice === 'object' ? callOfTemplate(choice.name) : '';
}

/** Returns the final instructions of a step: for its phase or to call a tool, and to answer if it must. */
function ordersOf({ request, protocol, mustAnswer, clientTerms }: OrderBasis): string {
  const order = phaseOrder(request, protocol) + callOrder(clientTerms);
  if (!mustAnswer) return order;
  return order + answerOrderTemplates[mustAnswer] + (request.answer_schema ? answerInJsonTemplate : '');
}
