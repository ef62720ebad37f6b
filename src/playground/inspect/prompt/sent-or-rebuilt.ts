import { type ContextReport, type Preview, spellUnseen } from '../../../sdk/index.js';
import { pieceNames } from '../../composer/budget-layout.js';
import { tokens } from '../../text/figures.js';
import { wordFor } from '../../text/word-for.js';
import { nameOf } from '../context/left-out.js';
import { changesBetween } from '../context/what-if.js';

/** Result of comparing a rebuilt prompt with the one that was sent. */
export interface Likeness {
  readonly isExact: boolean;
  readonly words: string;
}

/** Compares the report's hash of the stable prefix and the size of the whole prompt. */
export function likenessTo(sent: ContextReport | null, { context_report: built }: Preview): Likeness {
  if (!sent)
    return { isExact: false, words: 'Rebuilt from the request: the step has no report to compare it with.' };
  const isExact =
    sent.stable_prompt_sha256 === built.stable_prompt_sha256 && sent.prompt_tokens === built.prompt_tokens;
  return isExact
    ? { isExact, words: 'Exactly what was sent.' }
    : { isExact, words: `Rebuilt; differs from what was sent, because ${whyDifferent(sent, built)}.` };
}

const MOST_NAMED = 3;

function whyDifferent(sent: ContextReport, built: ContextReport): string {
  if (sent.token_limit !== built.token_limit) return 'the token limit is another';
  const items = changesBetween(sent, built).map(
    ({ item, before, after }) =>
      `${spellUnseen(nameOf(item))} took ${tokens(before)} tokens then, ${tokens(after)} now`,
  );
  if (items.length > 0) return joined(items);
  const sections = built.sections.flatMap(({ name, tokens: now }) => {
    const then = sent.sections.find((section) => section.name === name)?.tokens ?? 0;
    return then === now
      ? []
      : [`${wordFor(pieceNames, name).toLowerCase()} took ${tokens(then)} tokens then, ${tokens(now)} now`];
  });
  if (sections.length > 0) return joined(sections);
  return 'some of its text has changed without a change of size: a file of the service, or the service itself';
}

const joined = (reasons: readonly string[]): string =>
  [
    ...reasons.slice(0, MOST_NAMED),
    ...(reasons.length > MOST_NAMED ? ['more has changed besides'] : []),
  ].join('; ');
