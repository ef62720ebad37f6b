import type { Plan, SessionUpdate, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk';
import type { ActionDetails, Step } from '../../../contract/step.js';
import type { Task } from '../../../contract/step-request.js';
import type { InputRequest } from '../../../sdk/actions/client-tools.js';
import type { RunEvent, ToolEvent } from '../../../sdk/run/run-events.js';
import { reduceRun } from '../../../sdk/view/reduce-run.js';
import { emptyRun, type RunView } from '../../../sdk/view/run-view.js';
import { isAlike, streamedBy, wordsOf } from '../../screen/live/live-reply.js';
import { isOwn } from '../../screen/live/running-tools.js';
import { showText } from '../../screen/shown-text.js';
import { describeCall, plainContent } from './tool-words.js';

type Role = 'thought' | 'answer';
type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type };
type Tell<Type extends RunEvent['type']> = (
  event: EventOf<Type>,
  before: RunView,
) => readonly SessionUpdate[];

export interface RunUpdatesOptions {
  /** The real path of the session's folder. */
  readonly folder: string;
  /** Makes the ids of this run's calls differ from those of the session's other runs, in other processes too. */
  readonly prefix: string;
  /** Of the model, in tokens. */
  readonly tokenLimit: number;
}

/** Time between two updates of a running tool's output. */
const OUTPUT_EVERY_MS = 200;
/** The end of the output that an update holds. */
const OUTPUT_TAIL_CHARS = 4_000;

/** What an editor is told of a run. */
export class RunUpdates {
  readonly #options: RunUpdatesOptions;
  #run = emptyRun();
  /** True if the editor shows text of a failed try of the newest call: an editor takes nothing back. */
  #hasFailedText = false;
  /** Content that a call is shown with besides what comes of it: a diff, a terminal. By the call's id. */
  readonly #shown = new Map<string, readonly ToolCallContent[]>();
  /** When the output of a call was last sent. By the call's id. */
  readonly #outputAt = new Map<string, number>();

  constructor(options: RunUpdatesOptions) {
    this.#options = options;
  }

  /** The editor's name for a call of this run. */
  readonly callId = (id: string): string => `${this.#options.prefix}-${id}`;

  of(event: RunEvent): readonly SessionUpdate[] {
    const before = this.#run;
    this.#run = reduceRun(before, event);
    // The table has an entry for each type, which takes the events of that type.
    return (this.#tellers[event.type] as Tell<RunEvent['type']>)(event, before);
  }

  /** Shows a call with this from now on. */
  showWith(id: string, content: readonly ToolCallContent[]): SessionUpdate {
    this.#shown.set(id, content);
    return { sessionUpdate: 'tool_call_update', toolCallId: this.callId(id), content: [...content] };
  }

  readonly #tellers: { readonly [Type in RunEvent['type']]: Tell<Type> } = {
    agent_start: nothing,
    agent_turn_start: () => {
      this.#hasFailedText = false;
      return [];
    },
    draft_delta: ({ delta }) => this.#hear('draft', delta),
    thought_delta: ({ delta }) => this.#hear('thought', delta),
    answer_delta: ({ delta }) => this.#hear('answer', delta),
    agent_reason: ({ response }, before) => [
      ...this.#rest(response, before),
      ...this.#calls(response),
      ...this.#used(response),
    ],
    approval_requested: nothing,
    tool_start: (event) => this.#status(event, 'in_progress'),
    tool_output: (event) => this.#tail(event),
    tool_complete: (event) => this.#end(event, 'completed', event.observation),
    tool_error: (event) => this.#end(event, 'failed', event.error),
    agent_observe: ({ response }, before) => (response ? this.#rest(response, before) : []),
    tasks_updated: ({ tasks }) => [toPlan(tasks)],
    agent_request_input: nothing,
    agent_request_input_timeout: () => [say('thought', 'Nobody answered in time.')],
    context_compacted: ({ tokens_before, tokens_after }) => [
      say('thought', `The history was shortened from ${tokens_before} to ${tokens_after} tokens.`),
    ],
    agent_error: ({ error, retry_in_ms }, before) => {
      if (retry_in_ms === null) return [];
      this.#hasFailedText ||= hasText(before);
      return [say('thought', `${error.message} Trying again in ${Math.ceil(retry_in_ms / 1000)} s.`)];
    },
    agent_stopped: ({ result: { input_request } }) =>
      input_request ? [say('answer', asked(input_request))] : [],
    agent_completion: ({ result }) =>
      result.stop_reason === 'answered' || result.stop_reason === 'denied'
        ? []
        : [say('answer', result.answer)],
  };

  /** A draft looks like an answer: mostly it is one, and what stands before a call reads well as one. */
  #hear(part: 'draft' | Role, delta: string): SessionUpdate[] {
    if (streamedBy(this.#run)[part] === '') return [];
    return [say(part === 'draft' ? 'answer' : part, delta)];
  }

  /** What the reply says beyond what was streamed; all of it again where that turned out to be something else. */
  #rest(response: Step, before: RunView): SessionUpdate[] {
    const words = wordsOf(response);
    const { thought, answer } = words;
    if (!this.#hasFailedText && isAlike(streamedBy(before), words)) return [];
    const wasTold = this.#hasFailedText || hasText(before);
    const again = wasTold ? [say('answer', '\n\n(read again as a whole:)\n\n')] : [];
    const texts = [...(thought ? [say('thought', thought)] : []), ...(answer ? [say('answer', answer)] : [])];
    return texts.length > 0 ? [...again, ...texts] : [];
  }

  #calls({ action_details, additional_actions }: Step): SessionUpdate[] {
    const calls = [action_details, ...additional_actions].filter(
      (call): call is ActionDetails => call !== null,
    );
    return calls
      .filter((call) => !isOwn(call))
      .map((call) => ({
        sessionUpdate: 'tool_call',
        toolCallId: this.callId(call.id),
        status: 'pending',
        ...describeCall(call, this.#options.folder),
      }));
  }

  #used({ usage }: Step): SessionUpdate[] {
    if (!usage || usage.input_tokens === null) return [];
    const used = usage.input_tokens + (usage.output_tokens ?? 0);
    return [{ sessionUpdate: 'usage_update', used, size: this.#options.tokenLimit }];
  }

  #status(call: ToolEvent, status: ToolCallStatus): SessionUpdate[] {
    if (isOwn(call)) return [];
    return [{ sessionUpdate: 'tool_call_update', toolCallId: this.callId(call.id), status }];
  }

  #tail(event: EventOf<'tool_output'>): SessionUpdate[] {
    const now = Date.now();
    if (isOwn(event) || now - (this.#outputAt.get(event.id) ?? 0) < OUTPUT_EVERY_MS) return [];
    this.#outputAt.set(event.id, now);
    const action = this.#run.steps.at(-1)?.actions.find(({ id }) => id === event.id);
    return [this.#content(event.id, plainContent(action?.output.slice(-OUTPUT_TAIL_CHARS) ?? ''))];
  }

  #end(call: ToolEvent, status: ToolCallStatus, text: string): SessionUpdate[] {
    this.#outputAt.delete(call.id);
    if (isOwn(call)) return [];
    // A change that was made is shown as such; what a failed call says comes with it.
    const content = this.#shown.has(call.id) && status === 'completed' ? [] : plainContent(text);
    return [{ ...this.#content(call.id, content), status }];
  }

  #content(id: string, more: readonly ToolCallContent[]) {
    const content = [...(this.#shown.get(id) ?? []), ...more];
    return { sessionUpdate: 'tool_call_update' as const, toolCallId: this.callId(id), content };
  }
}

const nothing = (): readonly SessionUpdate[] => [];

function hasText(run: RunView): boolean {
  const { draft, thought, answer } = streamedBy(run);
  return draft + thought + answer !== '';
}

/** A piece of what the model says. */
export const say = (role: Role, text: string): SessionUpdate => ({
  sessionUpdate: role === 'answer' ? 'agent_message_chunk' : 'agent_thought_chunk',
  content: { type: 'text', text: showText(text) },
});

/** The next prompt answers it. */
const asked = ({ question, choices }: InputRequest): string =>
  [question, ...choices.map((choice) => `- ${choice}`)].join('\n');

const statuses = { todo: 'pending', in_progress: 'in_progress', completed: 'completed' } as const;

/** The TODO list as the editor's plan. */
export const toPlan = (tasks: readonly Task[]): Plan & { sessionUpdate: 'plan' } => ({
  sessionUpdate: 'plan',
  entries: tasks.map(({ content, status }) => ({
    content: showText(content),
    priority: 'medium',
    status: statuses[status],
  })),
});
