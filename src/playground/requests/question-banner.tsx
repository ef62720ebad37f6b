import { useRef, useState } from 'preact/hooks';
import type { InputRequest } from '../../sdk/index.js';
import { Icon } from '../controls/icon.js';
import type { Pending } from '../run/active-run.js';
import { Exact } from '../text/exact.js';
import { clock } from '../text/figures.js';
import { useNow } from '../timeline/use-now.js';
import { useBorrowedFocus } from './use-borrowed-focus.js';

/** The model's question while the run waits for the answer. Flashes once, unless the person prefers reduced motion. */
export function QuestionBanner({ pending }: { pending: Pending<InputRequest, string> }) {
  const { request, decide } = pending;
  const [answer, setAnswer] = useState('');
  const [askedAt] = useState(() => performance.now());
  const input = useRef<HTMLInputElement>(null);
  useBorrowedFocus(input, request);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (answer.trim() !== '') decide(answer.trim());
  };
  return (
    <form class="question" onSubmit={submit} aria-labelledby="question">
      <p id="question" dir="auto">
        <Icon name="question" /> <Exact text={request.question} />
      </p>
      {request.choices.length > 0 && (
        <div class="choices">
          {request.choices.map((choice) => (
            <button type="button" dir="auto" onClick={() => decide(choice)}>
              <Exact text={choice} />
            </button>
          ))}
        </div>
      )}
      <div class="question-answer">
        <input
          ref={input}
          value={answer}
          aria-label="Your answer"
          placeholder="Your answer"
          dir="auto"
          onInput={({ currentTarget }) => setAnswer(currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={answer.trim() === ''}>
          Answer
        </button>
      </div>
      <TimeLeft until={askedAt + request.timeoutMs} />
    </form>
  );
}

function TimeLeft({ until }: { until: number }) {
  const left = Math.max(0, until - useNow(1_000));
  return Number.isFinite(left) ? <p class="muted figure small">The run waits {clock(left)} more.</p> : null;
}
