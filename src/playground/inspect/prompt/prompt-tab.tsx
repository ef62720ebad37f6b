import { useMemo, useState } from 'preact/hooks';
import type { ModelCallView, Preview } from '../../../sdk/index.js';
import { tokens } from '../../text/figures.js';
import { CallFailed } from '../context/context-tab.js';
import { CopyButton } from '../copy-button.js';
import { callBefore, type Inspected } from '../inspected.js';
import { usePreview } from '../use-preview.js';
import { PromptDiff } from './prompt-diff.js';
import { PromptMessages } from './prompt-messages.js';
import { type PromptMessage, promptMessages } from './prompt-sections.js';
import { likenessTo } from './sent-or-rebuilt.js';

/** The prompt of a step, and its differences to the previous one. */
export function PromptTab({ client, branch, call }: Inspected) {
  const former = callBefore(branch, call);
  const { preview, problem } = usePreview(client, call.request);
  const before = usePreview(client, former?.request ?? null);
  if (problem && call.failures.length > 0) return <CallFailed />;
  if (problem) return <p class="problem">{problem}</p>;
  if (!preview || (former?.request && !before.preview && !before.problem)) {
    return <p class="muted">The prompt is being built.</p>;
  }
  const { isExact, words } = likenessTo(call.response?.context_report ?? null, preview);
  return (
    <>
      <p class={isExact ? 'likeness exact' : 'likeness rebuilt'}>{words}</p>
      <CacheLine call={call} />
      <PromptView preview={preview} before={before.preview} />
    </>
  );
}

/** The prompt that the next run would send first. */
export const NextPromptTab = ({ preview }: { preview: Preview }) => (
  <PromptView preview={preview} before={null} />
);

type Prompt = Pick<Preview, 'system' | 'messages' | 'native_tools'>;

/** A whole prompt, or its differences to the previous one. */
export function PromptView({ preview, before }: { preview: Prompt; before: Prompt | null }) {
  const [isDiff, setIsDiff] = useState(false);
  const messages = useMemo(() => promptMessages(preview, before), [preview, before]);
  const former = useMemo(() => (before ? promptMessages(before, null) : null), [before]);
  return (
    <>
      <div class="inspector-row">
        {former && (
          <fieldset class="segments">
            <legend class="hidden">Show</legend>
            <button type="button" aria-pressed={!isDiff} onClick={() => setIsDiff(false)}>
              All of it
            </button>
            <button type="button" aria-pressed={isDiff} onClick={() => setIsDiff(true)}>
              Changes since the call before
            </button>
          </fieldset>
        )}
        <CopyButton label="Copy" text={() => asText(messages)} />
      </div>
      {isDiff && former ? (
        <PromptDiff before={former} after={messages} />
      ) : (
        <PromptMessages messages={messages} />
      )}
    </>
  );
}

function CacheLine({ call: { response } }: { call: ModelCallView }) {
  const { input_tokens: all, cached_input_tokens: cached } = response?.usage ?? {};
  return (
    <p class="muted small figure">
      {typeof cached === 'number'
        ? `The vendor took ${tokens(cached)} of ${tokens(all ?? 0)} input tokens from its cache. `
        : ''}
      <span class="kept-key">Shaded</span> is what the call before began with too: what a cache can keep.
    </p>
  );
}

const asText = (messages: readonly PromptMessage[]): string =>
  messages.map(({ role, text }) => `${role}:\n${text}`).join('\n\n');
