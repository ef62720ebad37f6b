import { Icon } from '../controls/icon.js';
import { project } from '../project/project.js';
import { starters } from '../state/starter-task.js';
import { watchTour } from '../tour/watch-tour.js';

/** Introduction with sample tasks, visible before the first run. */
export const Welcome = ({ onChoose }: { onChoose: (task: string) => void }) => (
  <section class="welcome">
    <h2>See each step, and what it could not see.</h2>
    <p>
      One call to the service is one step of an agent. Press <b>Run</b>: it works through the task below, step
      by step, with tools that run in this page. Or take a single <b>Step</b>, look, and go on. It needs no
      key: until you choose a model, answers are quotations from the files.
    </p>
    <p class="watch">
      <button type="button" onClick={() => void watchTour()}>
        <Icon name="play" /> Watch a recorded run
      </button>
      <span class="muted">with edits, approvals, a TODO list and a follow-up</span>
    </p>
    <p>
      Or ask about {project.value?.origin === 'example' ? 'the example project' : 'this folder'} yourself:
    </p>
    <ul class="suggestions" aria-label="Example tasks">
      {starters.value.map((task) => (
        <li key={task}>
          <button type="button" class="quiet" onClick={() => onChoose(task)}>
            {task}
          </button>
        </li>
      ))}
    </ul>
  </section>
);
