import type { Task } from '../../contract/step-request.js';
import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { RunEvent } from '../../sdk/run/run-events.js';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** The parts of an approval request that are recorded: the preview, and the id of the call. */
interface ApprovedCall extends Pick<ApprovalRequest, 'preview'> {
  readonly action: Pick<ApprovalRequest['action'], 'id'>;
}

/** Tracks what the person has already seen, so that it is not printed twice. */
export class AlreadyShown {
  /** Previews shown for approval, by call id. */
  readonly #previews = new Map<string, string>();
  #tasks: readonly Task[] = [];

  /**
   * Records the preview of a call that the person approved. Calls allowed without approval are not recorded, since
   * nobody saw them.
   */
  record({ action, preview }: ApprovedCall): void {
    if (preview !== null) this.#previews.set(action.id, preview.trimEnd());
  }

  /** Removes a change from a result if the person approved exactly this change. */
  withoutApproved(event: RunEvent): RunEvent {
    return event.type === 'tool_complete' ? this.#withoutPreview(event) : event;
  }

  /**
   * Reduces an event to its new content. Removes a change as `withoutApproved` does, and removes unchanged tasks from a
   * TODO list.
   */
  onlyNew(event: RunEvent): RunEvent {
    if (event.type !== 'tasks_updated') return this.withoutApproved(event);
    const before = new Set(this.#tasks.map(textOf));
    this.#tasks = event.tasks;
    return { ...event, tasks: event.tasks.filter((task) => !before.has(textOf(task))) };
  }

  #withoutPreview(event: EventOf<'tool_complete'>): RunEvent {
    const preview = this.#previews.get(event.id);
    this.#previews.delete(event.id);
    const [first = '', ...rest] = event.observation.trimEnd().split('\n');
    const isApproved = rest.length > 1 && preview?.endsWith(rest.join('\n'));
    return isApproved ? { ...event, observation: first.replace(/:$/, '') } : event;
  }
}

const textOf = ({ id, content, status }: Task): string => JSON.stringify([id, content, status]);
