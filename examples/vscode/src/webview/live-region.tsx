import { useEffect, useRef, useState } from 'preact/hooks';
import type { ViewState } from '../view/messages.js';

/** Announces each change of the run's state to screen readers, but not each word. */
export function LiveRegion({ state }: { state: ViewState }) {
  const before = useRef<ViewState | null>(null);
  const [words, setWords] = useState('');
  useEffect(() => {
    const news = newsOf(before.current, state);
    before.current = state;
    if (news !== '') setWords(news);
  }, [state]);
  return (
    <div class="hidden" role="status" aria-live="polite">
      {words}
    </div>
  );
}

function newsOf(before: ViewState | null, { run, approval, question, service }: ViewState): string {
  if (approval && approval.id !== before?.approval?.id) {
    return `${approval.path ? `A change of ${approval.path}` : approval.tool} waits for your approval.`;
  }
  if (question && question.callId !== before?.question?.callId) return `The model asks: ${question.question}`;
  if (run.end && run.end !== before?.run.end && run.status !== before?.run.status) return run.end.sentence;
  if (service.sentence !== '' && service.sentence !== before?.service.sentence) return service.sentence;
  const step = run.steps.at(-1);
  if (!step || run.status !== 'running') return '';
  if (run.steps.length !== before?.run.steps.length) return `Step ${step.number} begins.`;
  const actions = step.actions.filter(
    ({ state }, index) => before.run.steps.at(-1)?.actions[index]?.state !== state,
  );
  return actions.map(({ tool, state }) => `${tool}: ${state}`).join(', ');
}
