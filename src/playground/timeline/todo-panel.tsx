import type { Task } from '../../sdk/index.js';

/** Maximum number of tasks listed at once; longer lists show the current task until expanded. */
const MAX_OPEN = 5;

/** The model's own TODO list. */
export function TodoPanel({ tasks }: { tasks: readonly Task[] }) {
  if (tasks.length === 0) return null;
  const current = tasks.find(({ status }) => status !== 'completed');
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return (
    <section class="todo" aria-label="TODO list">
      <details open={tasks.length <= MAX_OPEN}>
        <summary>
          <b>TODO</b>
          <span class="figure muted">
            {done} of {tasks.length}
          </span>
          <progress max={tasks.length} value={done} aria-label="Tasks completed" />
          <span class="todo-current muted" dir="auto">
            {current?.content ?? 'All done'}
          </span>
        </summary>
        <ol>
          {tasks.map(({ id, content, status }) => (
            <li key={id} class={`todo-${status}`}>
              <span class="todo-mark" aria-hidden="true" />
              <span dir="auto">{content}</span>
              <span class="hidden">, {names[status]}</span>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}

const names = { todo: 'to do', in_progress: 'in progress', completed: 'completed' } as const;
