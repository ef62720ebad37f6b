import type { Task } from '../../contract/step-request.js';
import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { RunEvent } from '../../sdk/run/run-events.js';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** Of a question, what tells its call again when it is done. */
interface AgreedCall extends Pick<ApprovalRequest, 'preview'> {
  readonly action: Pick<ApprovalRequest['action'], 'id'>;
}

/** What a person has before their eyes, so that it is not shown twice. */
export class AlreadyShown {
  /** What was shown when the person was asked, by the id of the call. */
  readonly #previews = new Map<string, string>();
  #tasks: readonly Task[] = [];

  /** The person was asked, and has seen what the call would do. What is allowed without a question was not seen. */
  keep({ action, preview }: AgreedCall): void {
    if (preview !== null) this.#previews.set(action.id, preview.trimEnd());
  }

  /** A result without the change that the person has just agreed to. */
  withoutAgreed(event: RunEvent): RunEvent {
    return event.type === 'tool_complete' ? this.#withoutPreview(event) : event;
  }

  /** For what is written line by line: of the TODO list the tasks that have changed, too. */
  onlyNew(event: RunEvent): RunEvent {
    if (event.type !== 'tasks_updated') return this.withoutAgreed(event);
    const before = new Set(this.#tasks.map(textOf));
    this.#tasks = event.tasks;
    return { ...event, tasks: event.tasks.filter((task) => !before.has(textOf(task))) };
  }

  #withoutPreview(event: EventOf<'tool_complete'>): RunEvent {
    const preview = this.#previews.get(event.id);
    this.#previews.delete(event.id);
    const [first = '', ...rest] = event.observation.trimEnd().split('\n');
    const isKnown = rest.length > 1 && preview?.endsWith(rest.join('\n'));
    return isKnown ? { ...event, observation: first.replace(/:$/, '') } : event;
  }
}

const textOf = ({ id, content, status }: Task): string => JSON.stringify([id, content, status]);
