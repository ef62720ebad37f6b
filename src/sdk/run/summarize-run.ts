import { renderCall } from '../../conversation/call-text.js';
import type { ActionRecord, RunResult, StepRecord } from './run-result.js';

const MAX_STEPS = 10;
/** In characters. */
const MAX_WIDTH = 110;

/** A run on a screen: two lines a step, at most ten steps, and what came out. */
export function summarizeRun(result: Omit<RunResult, 'summary'>): string {
  const { steps, stop_reason, usage, tasks, answer } = result;
  const shown = steps.slice(-MAX_STEPS);
  const hidden = steps.length - shown.length;
  const counted = usage.input_tokens === null ? '' : `, ${usage.input_tokens} tokens in`;
  const written = usage.output_tokens === null ? '' : `, ${usage.output_tokens} out`;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return [
    `${stop_reason} after ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}${counted}${written}`,
    ...(hidden > 0 ? [`  … ${hidden} earlier steps`] : []),
    ...shown.flatMap(stepLines),
    ...(tasks.length > 0 ? [`Tasks: ${done} of ${tasks.length} completed`] : []),
    oneLine(`Answer: ${answer}`),
  ].join('\n');
}

function stepLines({ number, thought, actions }: StepRecord): string[] {
  const head = oneLine(`${String(number).padStart(2)}. ${thought || '(no thought)'}`);
  return actions.length === 0 ? [head] : [head, oneLine(`    ${actions.map(actionText).join('; ')}`)];
}

const actionText = ({ tool_name, tool_args, result_summary, success }: ActionRecord): string =>
  `${success ? '✓' : '✗'} ${renderCall(tool_name, tool_args)} → ${result_summary}`;

function oneLine(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ');
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line;
}
