import type { ModelCallView, StepView } from '../../sdk/index.js';
import { plural, tokens } from '../text/figures.js';
import { repairInWords } from '../text/repair-in-words.js';

/** A notable fact about a step: short on the page, complete in the tooltip. */
export interface Remark {
  readonly tone: 'note' | 'warning';
  readonly short: string;
  readonly full: string;
}

/** Returns the signals, warnings and parse results of a step that are out of the ordinary. */
export function stepRemarks({ calls, compactions }: StepView): readonly Remark[] {
  const remarks: readonly Remark[] = [
    ...compactions.map(({ tokensBefore, tokensAfter }) => ({
      tone: 'note' as const,
      short: 'history compacted',
      full: `The history was compacted from ${tokens(tokensBefore)} to ${tokens(tokensAfter)} tokens before this step.`,
    })),
    ...calls.flatMap((call) => [...readingRemarks(call), ...signalRemarks(call), ...warningRemarks(call)]),
  ];
  // Several calls of a step may give the same remark; the last is the most complete.
  return [...new Map(remarks.map((remark) => [remark.short, remark])).values()];
}

/** A repair too common to mention: an answer without its label. */
const ORDINARY = 'unlabelled_answer';

function readingRemarks({ response }: ModelCallView): Remark[] {
  const parse = response?.parse;
  if (!parse) return [];
  const outcome = outcomes.get(parse.outcome);
  const repairs = parse.repairs.filter((repair) => repair !== ORDINARY).map(repairInWords);
  return [
    ...(outcome ? [{ tone: 'warning' as const, short: outcome, full: parse.problem ?? outcome }] : []),
    ...(repairs.length > 0
      ? [
          {
            tone: 'note' as const,
            short: 'repaired',
            full: `${repairs.join('. ')}.`,
          },
        ]
      : []),
    ...(parse.confidence === 'constrained'
      ? [
          {
            tone: 'note' as const,
            short: 'constrained',
            full: 'The provider enforced the tool schema.',
          },
        ]
      : []),
  ];
}

const outcomes: ReadonlyMap<string, string> = new Map([
  ['malformed_action', 'unreadable action'],
  ['unknown_tool', 'unknown tool'],
  ['action_after_limit', 'action after the limit'],
  ['truncated', 'cut off'],
  ['refusal', 'refused'],
  ['empty', 'empty reply'],
]);

function signalRemarks({ response }: ModelCallView): Remark[] {
  const signals = response?.signals;
  if (!signals) return [];
  // The signals also count calls of earlier steps, so they say nothing about a step without a call.
  const calls = response.status === 'action_proposed';
  const { repeated_action, repeated_cycle, consecutive_errors, consecutive_read_only } = signals;
  const found: readonly [boolean, Remark['tone'], string, string][] = [
    [
      calls && repeated_action > 0,
      'warning',
      'same call again',
      `The same tool with the same arguments, ${repeated_action} times.`,
    ],
    [
      calls && repeated_cycle > 0,
      'warning',
      'going in circles',
      `The same sequence of calls, ${repeated_cycle} times.`,
    ],
    [
      consecutive_errors > 1,
      'warning',
      `${consecutive_errors} errors in a row`,
      'The last observations were errors.',
    ],
    [
      consecutive_read_only >= 5,
      'note',
      `${plural(consecutive_read_only, 'read')} in a row`,
      'The last steps only read and changed nothing.',
    ],
    [
      signals.should_compact,
      'note',
      'history is long',
      'The history has used 80 % of its share of the budget.',
    ],
    [signals.last_iteration, 'note', 'last step', 'The model was asked to answer now.'],
  ];
  return found.flatMap(([holds, tone, short, full]) => (holds ? [{ tone, short, full }] : []));
}

const warningRemarks = ({ response }: ModelCallView): Remark[] =>
  (response?.warnings ?? [])
    .filter(({ code }) => code !== 'unreadable_action')
    .map(({ code, message }) => ({ tone: 'warning', short: code.replaceAll('_', ' '), full: message }));
