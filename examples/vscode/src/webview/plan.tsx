import type { Task } from 'stepwise';

const marks = { todo: '○', in_progress: '◐', completed: '●' } as const;
const words = { todo: 'to do', in_progress: 'in progress', completed: 'completed' } as const;

/** The model's own TODO list. */
export function Plan({ tasks }: { tasks: readonly Task[] }) {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return (
    <details class="plan" open>
      <summary>
        Plan <span class="muted">{`${done} of ${tasks.length}`}</span>
      </summary>
      <ul aria-label="Plan">
        {tasks.map(({ id, content, status }) => (
          <li key={id} class={`task-${status}`}>
            <span aria-hidden="true">{marks[status]}</span>
            <span class="hidden">{words[status]}:</span> <bdi>{content}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}
