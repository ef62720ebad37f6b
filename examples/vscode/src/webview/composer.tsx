import { useRef, useState } from 'preact/hooks';
import type { OfferedFile } from '../context/offered-files.js';
import type { ViewState } from '../view/messages.js';
import { request } from './host.js';
import { Suggestions, useSuggestions } from './suggestions.js';

/** The task box with the files of the task; during a run, its state and the Stop button. */
export const Composer = ({ state }: { state: ViewState }) =>
  state.run.status === 'running' ? <Running {...state} /> : <TaskBox {...state} />;

const Running = ({ run: { activity, iterationsLeft, maxSteps }, model }: ViewState) => (
  <section aria-label="Running task" class="composer">
    <p>
      <span class="pulse" aria-hidden="true" /> {activity}
      {maxSteps > 0 && <span class="muted">{` · ${iterationsLeft} of ${maxSteps} steps left`}</span>}
    </p>
    <div class="choices">
      <button type="button" onClick={() => request({ type: 'stop' })}>
        Stop
      </button>
      <Model name={model} />
    </div>
  </section>
);

function TaskBox({ run, offered, model, service, draft }: ViewState) {
  const [task, setTask] = useState(draft);
  const box = useRef<HTMLTextAreaElement>(null);
  const change = (text: string) => {
    setTask(text);
    request({ type: 'draft', text });
  };
  const suggestions = useSuggestions(box, change);
  const send = () => {
    if (task.trim() === '') return;
    request({ type: 'start', task: task.trim() });
    change('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || suggestions.onKeyDown(event)) return;
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send();
  };
  return (
    <form class="composer" aria-label="Task" onSubmit={submitting(send)}>
      <Chips offered={offered} />
      <textarea
        ref={box}
        aria-label="Task"
        rows={3}
        value={task}
        placeholder={
          run.status === 'idle'
            ? 'What should be done? @ names a file'
            : 'Ask a follow-up, or begin a new task'
        }
        onInput={({ currentTarget }) => {
          change(currentTarget.value);
          suggestions.onInput();
        }}
        onKeyDown={onKeyDown}
        {...suggestions.boxAttributes}
      />
      <Suggestions {...suggestions} />
      <div class="choices">
        <button type="submit" disabled={task.trim() === '' || service.state === 'checking'}>
          Send
        </button>
        {run.status !== 'idle' && <NewTask />}
        <Model name={model} />
      </div>
    </form>
  );
}

const submitting = (send: () => void) => (event: Event) => {
  event.preventDefault();
  send();
};

const NewTask = () => (
  <button type="button" class="secondary" onClick={() => request({ type: 'newTask' })}>
    New task
  </button>
);

const Model = ({ name }: { name: string }) => (
  <span class="muted model" title="The model; see the settings">
    {name}
  </span>
);

const kinds = { focus: 'in focus', editor: 'open', tagged: 'tagged' } as const;

function linesOf({ start_line, end_line }: NonNullable<OfferedFile['selection']>): string {
  return start_line === end_line ? `:${start_line}` : `:${start_line}-${end_line}`;
}

/** The files of the task, each with a button to remove it. */
function Chips({ offered }: Pick<ViewState, 'offered'>) {
  if (offered.length === 0) return null;
  return (
    <ul class="chips" aria-label="Files of the task">
      {offered.map(({ id, kind, path, selection, refusal }) => {
        const lines = selection ? linesOf(selection) : '';
        const name = path.split('/').at(-1);
        return (
          <li
            key={id}
            class={refusal ? 'chip refused' : 'chip'}
            title={refusal ?? `${path}${lines}, ${kinds[kind]}`}
          >
            <bdi>{`${name}${lines}`}</bdi> <span class="muted">{refusal ? 'not sent' : kinds[kind]}</span>
            <button
              type="button"
              class="remove"
              aria-label={`Leave out ${path}`}
              onClick={() => request({ type: 'remove', id })}
            >
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
}
