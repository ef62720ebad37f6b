import { useEffect, useState } from 'preact/hooks';
import type { Preview, StepRequestInput, StepwiseClient } from '../../sdk/index.js';
import { problemOf } from '../state/next-prompt.js';
import { withFullReport } from './requests.js';

/** The rebuilt prompt of a request; null until it is loaded. */
export interface RebuiltPrompt {
  readonly preview: Preview | null;
  /** The reason why the prompt could not be rebuilt. */
  readonly problem: string | null;
}

const nothing: RebuiltPrompt = { preview: null, problem: null };

/** Caches rebuilt prompts by request. */
const known = new WeakMap<StepRequestInput, RebuiltPrompt>();

/**
 * Rebuilds the prompt of a request through the service's preview: deterministic, without a key or a model call (rule:
 * context-report).
 */
export function usePreview(client: StepwiseClient, request: StepRequestInput | null): RebuiltPrompt {
  const [built, setBuilt] = useState<{ readonly of: StepRequestInput; readonly prompt: RebuiltPrompt }>();
  useEffect(() => {
    if (!request || known.has(request)) return;
    const asking = new AbortController();
    const show = (prompt: RebuiltPrompt): void => {
      if (asking.signal.aborted) return;
      if (prompt.preview) known.set(request, prompt);
      setBuilt({ of: request, prompt });
    };
    client.preview(withFullReport(request), { signal: asking.signal }).then(
      (preview) => show({ preview, problem: null }),
      (error: unknown) => show({ preview: null, problem: problemOf(error) }),
    );
    return () => asking.abort();
  }, [client, request]);
  if (!request) return nothing;
  return known.get(request) ?? (built?.of === request ? built.prompt : nothing);
}
