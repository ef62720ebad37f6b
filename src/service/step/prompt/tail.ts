import type { ReportItem } from '../../../contract/context-report.js';
import type { StepRequest, Task } from '../../../contract/step-request.js';
import { renderTask, taskLegend } from '../../../conversation/task-list.js';
import { type DigestedText, digested } from '../../../tokens/text-memo.js';
import { cutLines } from '../../context/cutting/cut-lines.js';
import { fence } from '../../context/fence.js';
import { type FocusToFit, fitFocus } from '../../context/fitting/fit-focus.js';
import { oneLineInShares } from './one-line.js';
import type { TaughtProtocol } from './render-unit.js';
import {
  answerNowTemplate,
  continueTemplate,
  jsonPhaseTemplates,
  phaseTemplates,
  terminalTemplate,
} from './templates/orders.js';
import type { Scale } from './weigh-messages.js';

/** Why a step must answer instead of acting (rules: last-iteration, terminal-observation). */
export type MustAnswer = 'last_iteration' | 'terminal_error';

export interface TailContents {
  /** The order of the step's phase, in the caller's words or in ours; empty without phases. */
  readonly phaseOrder: string;
  readonly mustAnswer: MustAnswer | undefined;
  readonly tasks: readonly Task[];
  readonly focus: FocusToFit | undefined;
  readonly advice: string | undefined;
}

export interface Tail {
  readonly text: string;
  readonly tokens: number;
  /** With more room it would be no longer. */
  readonly isWhole: boolean;
  readonly items: readonly ReportItem[];
}

/** The last block of the last message: what changes from step to step, within `limit` tokens (rule: tail). */
export async function buildTail(
  contents: TailContents,
  limit: number,
  { tokens, signal }: Pick<Scale, 'tokens' | 'signal'>,
): Promise<Tail> {
  if (isEmpty(contents)) return noTail;
  const orders = ordersOf(contents);
  const advice = contents.advice ?? '';
  let left = limit - (await tokens.count(orders));
  const advised = (await tokens.count(advice)) <= left ? advice : '';
  left -= await tokens.count(advised);
  const tasks = await listTasks(contents.tasks, left, { tokens, signal });
  left -= await tokens.count(tasks.text);
  const focus = contents.focus && (await fitFocus(contents.focus, left, tokens));
  const text = `${tasks.text}${focus?.block ?? ''}${advised}${orders}`;
  const isWhole = advised === advice && tasks.isWhole && (focus?.isWhole ?? true);
  return { text, tokens: await tokens.count(text), isWhole, items: focus ? [focus.item] : [] };
}

const noTail: Tail = { text: '', tokens: 0, isWhole: true, items: [] };

function isEmpty({ phaseOrder: order, mustAnswer, tasks, focus, advice }: TailContents): boolean {
  return order === '' && !mustAnswer && tasks.length === 0 && !focus && !advice;
}

/** How a tail may end. */
const ends = [answerNowTemplate, terminalTemplate, continueTemplate].map(digested);

/** The orders that a tail of a run may have to give: its reserve must hold the longest of them. */
export function possibleEnds(request: StepRequest, protocol: TaughtProtocol): DigestedText[] {
  if (!request.phase) return ends;
  const orders = phaseNames.map((phase) => phaseOrder({ ...request, phase }, protocol));
  return orders.flatMap((order) => ends.map(({ text }) => ({ text: `${order}${text}` })));
}

const phaseNames = ['reason', 'act', 'observe'] as const satisfies readonly StepRequest['phase'][];

/** What a phase asks for: the caller's own words, or else ours (rule: phases). */
export function phaseOrder(
  { phase, phase_instructions: own }: StepRequest,
  protocol: TaughtProtocol,
): string {
  if (!phase) return '';
  const words = own?.[phase]?.trim();
  if (words) return `${words}\n`;
  return protocol === 'json' ? jsonPhaseTemplates[phase] : phaseTemplates[phase];
}

function ordersOf({ phaseOrder: order, mustAnswer }: TailContents): string {
  if (!mustAnswer) return order;
  return order + (mustAnswer === 'terminal_error' ? terminalTemplate : answerNowTemplate);
}

async function listTasks(
  tasks: readonly Task[],
  limit: number,
  { tokens, signal }: Pick<Scale, 'tokens' | 'signal'>,
): Promise<Pick<Tail, 'text' | 'isWhole'>> {
  if (tasks.length === 0 || limit <= 0) return { text: '', isWhole: tasks.length === 0 };
  const render = ({ text }: { text: string }) =>
    fence({ tag: 'tasks', attributes: { legend: taskLegend }, text });
  const lines: string[] = [];
  for (const task of tasks) lines.push(renderTask(task, await oneLineInShares(task.content, signal)));
  const fitted = await cutLines({ text: lines.join('\n'), render }, limit, tokens);
  return { text: fitted?.rendered ?? '', isWhole: fitted?.cut === false };
}
