const TASKS = [
  'How is the discount of a coupon calculated, and which limits does it have?',
  'When does a session end?',
  'What happens if a payment fails at checkout?',
] as const;

/** Introduction with sample tasks, visible before the first run. */
export const Welcome = ({ onChoose }: { onChoose: (task: string) => void }) => (
  <section class="welcome">
    <h2>See each step, and what it could not see.</h2>
    <p>
      One call to the service is one step of an agent. Press <b>Run</b>: it works through the task below, step
      by step, with tools that run in this page. Or take a single <b>Step</b>, look, and go on.
    </p>
    <ul class="suggestions" aria-label="Example tasks">
      {TASKS.map((task) => (
        <li key={task}>
          <button type="button" class="quiet" onClick={() => onChoose(task)}>
            {task}
          </button>
        </li>
      ))}
    </ul>
  </section>
);
