import { useState } from 'preact/hooks';
import type { ViewState } from '../view/messages.js';
import { request } from './host.js';
import { useHandedFocus } from './use-handed-focus.js';

/** The model's question with its suggested answers. */
export function QuestionCard({
  question: { callId, question, choices },
}: {
  question: NonNullable<ViewState['question']>;
}) {
  const [text, setText] = useState('');
  const card = useHandedFocus<HTMLFormElement>();
  const answer = (given: string) => request({ type: 'answer', callId, text: given });
  return (
    <form
      class="question"
      aria-label="Question"
      ref={card}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') answer(text.trim());
      }}
    >
      <h2 dir="auto">{question}</h2>
      {choices.length > 0 && (
        <div class="choices">
          {choices.map((choice) => (
            <button type="button" class="secondary" key={choice} onClick={() => answer(choice)}>
              <bdi>{choice}</bdi>
            </button>
          ))}
        </div>
      )}
      <label>
        Your answer
        <input value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <div class="choices">
        <button type="submit" disabled={text.trim() === ''}>
          Answer
        </button>
      </div>
    </form>
  );
}
