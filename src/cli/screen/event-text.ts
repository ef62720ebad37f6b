import type { Task } from '../../contract/step-request.js';
import type { RunEvent } from '../../sdk/run/run-events.js';
import { explainEnd, type RunResult } from '../../sdk/run/run-result.js';
import type { Paint } from '../display/paint.js';
import { clip } from '../display/wrap.js';
import { short } from './budget-bar.js';
import { showExactLine, showText, showTextLine } from './visible-text.js';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

const taskMarks = { todo: '☐', in_progress: '◐', completed: '☑' } as const;
const taskStyles = { todo: 'reset', in_progress: 'bold', completed: 'dim' } as const;

export const renderTask = ({ content, status }: Task, paint: Paint): string =>
  paint(taskStyles[status], `${taskMarks[status]} ${showTextLine(content)}`);

export function headline({ step, phase, iterationsLeft }: EventOf<'agent_turn_start'>): string {
  const left = iterationsLeft === 1 ? 'the last' : `${iterationsLeft} left`;
  return showExactLine(`Step ${step}${phase ? `, ${phase}` : ''} · ${left}`);
}

export const compacted = ({ tokensBefore, tokensAfter }: EventOf<'context_compacted'>): string =>
  `history ${short(tokensBefore)} → ${short(tokensAfter)} tokens`;

interface ObservedOptions {
  readonly maxLines: number;
  /** Width of a row in columns. */
  readonly width: number;
  /**
   * True to keep the first line and the last ones. Used for commands: the first line says how the command ended, and
   * its output matters most at its end.
   */
  readonly keepsEnd?: boolean;
}

/** Returns the lines to show of an observation, with the number of omitted ones. */
export function observed(
  text: string,
  { maxLines, width, keepsEnd = false }: ObservedOptions,
): readonly string[] {
  const lines = showText(text).replace(/\n$/, '').split('\n');
  const left = lines.length - maxLines;
  const shorten = (line: string) => clip(line.replaceAll('\t', '    '), width);
  if (left <= 0) return lines.map(shorten);
  const rest = `… ${left} more ${left === 1 ? 'line' : 'lines'}`;
  if (!keepsEnd) return [...lines.slice(0, maxLines).map(shorten), rest];
  return [...lines.slice(0, 1).map(shorten), rest, ...lines.slice(1 - maxLines).map(shorten)];
}

/** Returns the text to show at the end of a run: the answer, or why there is none; empty if an error was shown. */
export const endText = (result: RunResult): string =>
  result.answer ?? (result.error ? '' : explainEnd(result));

/** Renders how the run ended and its cost: `answered · 2 steps · 6.9k tokens in (5k cached) · 210 out · 4s`. */
export function costLine({ stopReason, steps, usage }: RunResult, took = ''): string {
  const { input_tokens: sent, cached_input_tokens: cached, output_tokens: written } = usage;
  return [
    showExactLine(stopReason.replace('_', ' ')),
    `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`,
    ...(sent === null ? [] : [`${short(sent)} tokens in${cached ? ` (${short(cached)} cached)` : ''}`]),
    ...(written === null ? [] : [`${short(written)} out`]),
    ...(took ? [took] : []),
  ].join(' · ');
}
