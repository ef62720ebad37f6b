import type { ModelCallView, StepView } from '../../sdk/index.js';
import { plural, tokens } from '../text/figures.js';

/** Something a person should notice in a step: short on the page, in full where it is pointed at. */
export interface Remark {
  readonly tone: 'note' | 'warning';
  readonly short: string;
  readonly full: string;
}

/** Signals, warnings and how the reply was read, as far as they are out of the ordinary. */
export function stepRemarks({ calls, compactions }: StepView): readonly Remark[] {
  const remarks: readonly Remark[] = [
    ...compactions.map(({ tokensBefore, tokensAfter }) => ({
      tone: 'note' as const,
      short: 'history compacted',
      full: `The history went from ${tokens(tokensBefore)} to ${tokens(tokensAfter)} tokens before this step.`,
    })),
    ...calls.flatMap((call) => [...readingRemarks(call), ...signalRemarks(call), ...warningRemarks(call)]),
  ];
  // The calls of one step may say the same; the last of them knows most.
  return [...new Map(remarks.map((remark) => [remark.short, remark])).values()];
}

/** A repair that is hardly one: an answer without its label. */
const ORDINARY = 'unlabelled_answer';

function readingRemarks({ response }: ModelCallView): Remark[] {
  const parse = response?.parse;
  if (!parse) return [];
  const outcome = outcomes.get(parse.outcome);
  const repairs = parse.repairs
    .filter((repair) => repair !== ORDINARY)
    .map((repair) => repair.replaceAll('_', ' '));
  return [
    ...(outcome ? [{ tone: 'warning' as const, short: outcome, full: parse.problem ?? outcome }] : []),
    ...(repairs.length > 0
      ? [
          {
            tone: 'note' as const,
            short: 'repaired',
            full: `The reply was mended before it was read: ${repairs.join(', ')}.`,
          },
        ]
      : []),
    ...(parse.confidence === 'constrained'
      ? [
          {
            tone: 'note' as const,
            short: 'constrained',
            full: 'The provider held the reply to the schema of the tools.',
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
  // They count what was called before as well; a step that calls nothing repeats nothing.
  const calls = response.status === 'action_proposed';
  const { repeated_action, repeated_cycle, consecutive_errors, consecutive_read_only } = signals;
  const found: readonly [boolean, Remark['tone'], string, string][] = [
    [
      calls && repeated_action > 0,
      'warning',
      `same call again`,
      `The same tool with the same arguments, ${repeated_action} times.`,
    ],
    [
      calls && repeated_cycle > 0,
      'warning',
      'going in circles',
      `The same few calls in turn, ${repeated_cycle} times.`,
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
      'Nothing but reading for a while.',
    ],
    [
      signals.should_compact,
      'note',
      'history is long',
      'The history has used 80 % of its share of the budget.',
    ],
    [signals.last_iteration, 'note', 'last step', 'The model was told to answer now.'],
  ];
  return found.flatMap(([holds, tone, short, full]) => (holds ? [{ tone, short, full }] : []));
}

const warningRemarks = ({ response }: ModelCallView): Remark[] =>
  (response?.warnings ?? [])
    .filter(({ code }) => code !== 'unreadable_action')
    .map(({ code, message }) => ({ tone: 'warning', short: code.replaceAll('_', ' '), full: message }));
