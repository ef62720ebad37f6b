import type { Plan, SessionUpdate, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk';
import type { ActionDetails, Step } from '../../../contract/step.js';
import type { Task } from '../../../contract/step-request.js';
import type { InputRequest } from '../../../sdk/actions/client-tools.js';
import type { RunEvent, ToolEvent } from '../../../sdk/run/run-events.js';
import { wordsOf } from '../../screen/live/live-reply.js';
import { isOwn } from '../../screen/live/running-tools.js';
import { showText } from '../../screen/shown-text.js';
import { describeCall, plainContent } from './tool-words.js';

type Role = 'thought' | 'answer';
type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type };
type Tell<Type extends RunEvent['type']> = (event: EventOf<Type>) => readonly SessionUpdate[];

export interface RunUpdatesOptions {
  /** The real path of the session's folder. */
  readonly folder: string;
  /** Makes the ids of this run's calls differ from those of the session's other runs, in other processes too. */
  readonly prefix: string;
  /** Of the model, in tokens. */
  readonly tokenLimit: number;
}

/** Milliseconds between two pictures of what a running tool says. */
const OUTPUT_EVERY_MS = 200;
/** In characters, of the end of it. */
const OUTPUT_TAIL = 4_000;

/** What an editor is told of a run. */
export class RunUpdates {
  readonly #options: RunUpdatesOptions;
  #said = { draft: '', thought: '', answer: '' };
  /** Content that a call is shown with besides what comes of it: a diff, a terminal. By the call's id. */
  readonly #shown = new Map<string, readonly ToolCallContent[]>();
  readonly #output = new Map<string, { tail: string; at: number }>();

  constructor(options: RunUpdatesOptions) {
    this.#options = options;
  }

  /** The editor's name for a call of this run. */
  readonly callId = (id: string): string => `${this.#options.prefix}-${id}`;

  of(event: RunEvent): readonly SessionUpdate[] {
    // The table has an entry for each type, which takes the events of that type.
    return (this.#tellers[event.type] as Tell<RunEvent['type']>)(event);
  }

  /** Shows a call with this from now on. */
  showWith(id: string, content: readonly ToolCallContent[]): SessionUpdate {
    this.#shown.set(id, content);
    return { sessionUpdate: 'tool_call_update', toolCallId: this.callId(id), content: [...content] };
  }

  readonly #tellers: { readonly [Type in RunEvent['type']]: Tell<Type> } = {
    agent_start: nothing,
    agent_turn_start: () => {
      this.#said = { draft: '', thought: '', answer: '' };
      return [];
    },
    draft_delta: ({ delta }) => this.#hear('draft', delta),
    thought_delta: ({ delta }) => this.#hear('thought', delta),
    answer_delta: ({ delta }) => this.#hear('answer', delta),
    agent_reason: ({ response }) => [
      ...this.#rest(response),
      ...this.#calls(response),
      ...this.#used(response),
    ],
    approval_requested: nothing,
    tool_start: (event) => this.#status(event, 'in_progress'),
    tool_output: (event) => this.#tail(event),
    tool_complete: (event) => this.#end(event, 'completed', event.observation),
    tool_error: (event) => this.#end(event, 'failed', event.error),
    agent_observe: ({ response }) => (response ? this.#rest(response) : []),
    tasks_updated: ({ tasks }) => [toPlan(tasks)],
    agent_request_input: nothing,
    agent_request_input_timeout: () => [say('thought', 'Nobody answered in time.')],
    context_compacted: ({ tokens_before, tokens_after }) => [
      say('thought', `The history was shortened from ${tokens_before} to ${tokens_after} tokens.`),
    ],
    agent_error: ({ error, retry_in_ms }) =>
      retry_in_ms === null
        ? []
        : [say('thought', `${error.message} Trying again in ${Math.ceil(retry_in_ms / 1000)} s.`)],
    agent_stopped: ({ result: { input_request } }) =>
      input_request ? [say('answer', asked(input_request))] : [],
    agent_completion: ({ result }) =>
      result.stop_reason === 'answered' || result.stop_reason === 'denied'
        ? []
        : [say('answer', result.answer)],
  };

  /** A draft looks like an answer: mostly it is one, and what stands before a call reads well as one. */
  #hear(part: 'draft' | Role, delta: string): SessionUpdate[] {
    if (this.#said[part] === '' && delta.trim() === '') return [];
    this.#said[part] += delta;
    return [say(part === 'draft' ? 'answer' : part, delta)];
  }

  /** What the reply says beyond what was streamed; all of it again where that turned out to be something else. */
  #rest(response: Step): SessionUpdate[] {
    const { thought, answer } = wordsOf(response);
    const { draft, thought: told, answer: answered } = this.#said;
    this.#said = { draft: '', thought: '', answer: '' };
    const isTold =
      (alike(draft + told, thought) && alike(answered, answer)) ||
      (thought === '' && told === '' && alike(draft + answered, answer));
    if (isTold) return [];
    const again = draft + told + answered === '' ? [] : [say('answer', '\n\n(read again as a whole:)\n\n')];
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
    const { tail = '', at = 0 } = this.#output.get(event.id) ?? {};
    const now = Date.now();
    const isDue = now - at >= OUTPUT_EVERY_MS;
    const output = { tail: (tail + event.delta).slice(-OUTPUT_TAIL), at: isDue ? now : at };
    this.#output.set(event.id, output);
    return isDue && !isOwn(event) ? [this.#content(event.id, plainContent(output.tail))] : [];
  }

  #end(call: ToolEvent, status: ToolCallStatus, text: string): SessionUpdate[] {
    this.#output.delete(call.id);
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

const alike = (said: string, meant: string): boolean => said.trim() === meant.trim();

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
