import type { ReportItem } from '../../../contract/context-report.js';
import type { ClientTerms } from '../../../contract/recorded-step.js';
import type { StepRequest, Task } from '../../../contract/step-request.js';
import { renderTasks, taskLegend } from '../../../conversation/task-list.js';
import { cutLines } from '../../context/cutting/cut-lines.js';
import { fence } from '../../context/fence.js';
import { type FocusToFit, fitFocus } from '../../context/fitting/fit-focus.js';
import { expectsPlainText, type MustAnswer, type Situation, type TaughtProtocol } from '../types.js';
import {
  answerInJsonTemplate,
  answerNowTemplate,
  callOfTemplate,
  callTemplate,
  continueTemplate,
  jsonPhaseTemplates,
  phaseTemplates,
  terminalTemplate,
} from './templates/orders.js';
import type { Scale } from './weigh-messages.js';

export interface TailContents {
  /** The instruction for the phase of the step or to call a tool; empty if neither applies. */
  readonly phaseOrder: string;
  readonly mustAnswer: MustAnswer | undefined;
  /** True if the answer has a JSON Schema (rule: typed-answers). */
  readonly hasJsonAnswer?: boolean;
  readonly tasks: readonly Task[];
  readonly focus: FocusToFit | undefined;
  readonly advice: string | undefined;
}

export interface Tail {
  readonly text: string;
  readonly tokens: number;
  readonly items: readonly ReportItem[];
}

/**
 * Builds the last block of the last message within `limit` tokens: tasks, focus file, advice and final instructions
 * (rule: tail). If there are too few tokens, keeps the final instructions first, then the advice, then the tasks.
 */
export async function buildTail(
  contents: TailContents,
  limit: number,
  { tokens }: Pick<Scale, 'tokens'>,
): Promise<Tail> {
  const orders = ordersOf(contents);
  let left = limit - (await tokens.count(orders));
  const wantedAdvice = contents.advice ?? '';
  const advice = (await tokens.count(wantedAdvice)) <= left ? wantedAdvice : '';
  left -= await tokens.count(advice);
  const tasks = await listTasks(contents.tasks, left, { tokens });
  left -= await tokens.count(tasks);
  const focus = contents.focus && (await fitFocus(contents.focus, left, tokens));
  const text = `${tasks}${focus?.block ?? ''}${advice}${orders}`;
  return { text, tokens: await tokens.count(text), items: focus ? [focus.item] : [] };
}

async function listTasks(
  tasks: readonly Task[],
  limit: number,
  { tokens }: Pick<Scale, 'tokens'>,
): Promise<string> {
  if (tasks.length === 0 || limit <= 0) return '';
  const render = ({ text }: { text: string }) =>
    fence({ tag: 'tasks', attributes: { legend: taskLegend }, text });
  const fitted = await cutLines({ text: renderTasks(tasks), render }, limit, tokens);
  return fitted?.rendered ?? '';
}

/**
 * Returns all instructions with which the tail may end in any step of this run. The tokens reserved for the tail must
 * suffice for the longest one (rule: tail-reserve).
 */
export function possibleEnds(situation: Pick<Situation, 'request' | 'protocol' | 'clientTerms'>): string[] {
  const { request, protocol, clientTerms } = situation;
  if (expectsPlainText(situation)) return [continueTemplate];
  const inJson = request.answer_schema ? answerInJsonTemplate : '';
  const ends = [answerNowTemplate + inJson, terminalTemplate + inJson, continueTemplate];
  if (!request.phase) return ends.map((end) => callOrder(clientTerms) + end);
  const orders = phaseNames.map((phase) => phaseOrder({ ...request, phase }, protocol));
  return orders.flatMap((order) => ends.map((end) => order + end));
}

const phaseNames = ['reason', 'act', 'observe'] as const satisfies readonly StepRequest['phase'][];

/** Returns the instruction for a phase: the caller's own text, otherwise the default (rule: phases). */
export function phaseOrder(
  { phase, phase_instructions: own }: StepRequest,
  protocol: TaughtProtocol,
): string {
  if (!phase) return '';
  const words = own?.[phase]?.trim();
  if (words) return `${words}\n`;
  return protocol === 'json' ? jsonPhaseTemplates[phase] : phaseTemplates[phase];
}

/**
 * Returns the instruction to call a tool if the client demands a call, otherwise an empty text
 * (rule: client-terms).
 */
export function callOrder(clientTerms: ClientTerms | undefined): string {
  const choice = clientTerms?.toolChoice;
  if (choice === 'required') return callTemplate;
  return typeof choice === 'object' ? callOfTemplate(choice.name) : '';
}

function ordersOf({ phaseOrder: order, mustAnswer, hasJsonAnswer }: TailContents): string {
  if (!mustAnswer) return order;
  const answerOrder = mustAnswer === 'terminal_error' ? terminalTemplate : answerNowTemplate;
  return order + answerOrder + (hasJsonAnswer ? answerInJsonTemplate : '');
}
