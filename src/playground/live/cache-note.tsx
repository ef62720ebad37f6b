import { useMemo } from 'preact/hooks';
import type { RecordedStep } from '../../sdk/index.js';
import { Exact } from '../text/exact.js';
import { tokens } from '../text/figures.js';
import { comparePrefix, otherReasons, type PrefixChange } from './compare-prefix.js';
import type { FormerStep } from './live-steps.js';

interface CacheNoteProps {
  /** The step to compare with; null if the page has none. */
  readonly before: FormerStep | null;
  readonly record: RecordedStep;
}

/**
 * Explains how much of the prompt a vendor can read from its cache, and where the prompt first differs from the
 * previous one.
 */
export function CacheNote({ before, record }: CacheNoteProps) {
  const comparison = useMemo(() => before && comparePrefix(before.record, record), [before, record]);
  const { cached_input_tokens: cached = null, input_tokens: input = null } = record.response.usage ?? {};
  const vendor = vendorInWords(cached, input);
  if (!before || !comparison) {
    return (
      <p class="muted small">
        The page has no earlier step of this session to compare the prompt with. {vendor}
      </p>
    );
  }
  const { keptTokens, promptTokens, change } = comparison;
  const kept = `about ${tokens(keptTokens)} of ${tokens(promptTokens)} tokens`;
  const reasons = cached === null || cached > 0 ? [] : otherReasons(before.record, record);
  return (
    <section class={`cache-note${change ? ' is-missed' : ''}`} aria-label="Prompt cache">
      {change ? (
        <>
          <p>
            <b>The cached prefix ends early.</b> A cache can keep {kept}.{' '}
            {before.isOfOtherSession &&
              'The client changed the beginning of the conversation, so the service takes it for a new session. '}
            The first difference is in <Exact text={change.place} />:
          </p>
          <Change {...change} />
        </>
      ) : (
        <p>The prompt begins like that of the previous step: {kept} are the same. Only its end is new.</p>
      )}
      <p class="muted small">
        {vendor}
        {reasons.length > 0 && ` Other possible reasons: ${reasons.join('; ')}.`}
      </p>
    </section>
  );
}

function vendorInWords(cached: number | null, input: number | null): string {
  if (cached === null) return 'The vendor does not report cached tokens.';
  if (cached === 0) return 'The vendor reports that it read nothing from its cache.';
  const all = input === null ? '' : ` of ${tokens(input)}`;
  return `The vendor reports that it read ${tokens(cached)}${all} input tokens from its cache.`;
}

/** Shows the first difference: the text of the previous prompt above the text of this one. */
const Change = ({ same, was, is }: PrefixChange) => (
  <dl class="prefix-change">
    {[
      { name: 'before', text: was, kind: 'removed' },
      { name: 'now', text: is, kind: 'added' },
    ].map(({ name, text, kind }) => (
      <div key={name} class={`diff-${kind}`}>
        <dt>{name}</dt>
        <dd class="code" dir="auto">
          <Exact text={same} />
          <mark>{text === '' ? <i>the end of the prompt</i> : <Exact text={text} />}</mark>
        </dd>
      </div>
    ))}
  </dl>
);
