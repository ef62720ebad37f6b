import type { Plan, SessionUpdate, ToolCallContent, ToolCallStatus } from '@agentclientprotocol/sdk';
import type { Step } from '../../../contract/step.js';
import type { Task } from '../../../contract/step-request.js';
import type { InputRequest } from '../../../sdk/actions/client-tools.js';
import { type ToolEvent, toToolEvent } from '../../../sdk/base/tool-event.js';
import type { RunEvent } from '../../../sdk/run/run-events.js';
import { reduceRun } from '../../../sdk/view/reduce-run.js';
import { emptyRun, type RunView } from '../../../sdk/view/run-view.js';
import {
  FULL_REPLY_LABEL,
  lastAnswer,
  missingTexts,
  replyTexts,
  streamedTexts,
} from '../../screen/live/live-reply.js';
import { isRunTool } from '../../screen/live/running-tools.js';
import { newWarnings } from '../../screen/service-warnings.js';
import { showText } from '../../screen/visible-text.js';

import { describeCall, plainContent } from './tool-call-content.js';

type Role = 'thought' | 'answer';
type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type };
type Handler<Type extends RunEvent['type']> = (
  event: EventOf<Type>,
  before: RunView,
) => readonly SessionUpdate[];

export interface RunUpdatesOptions {
  /** The real path of the session's folder. */
  readonly folder: string;
  /** Prefix that makes call ids unique across the runs of a session, including runs of other processes. */
  readonly prefix: string;
  /** The model's token limit. */
  readonly tokenLimit: number;
}

/** Minimum time between two updates of a running tool's output. */
const OUTPUT_EVERY_MS = 200;
/** Maximum number of characters of output in an update. Of a longer output, an update contains the end. */
const OUTPUT_TAIL_CHARS = 4_000;

/** Translates the events of one run into updates for the editor. */
export class RunUpdates {
  readonly #options: RunUpdatesOptions;
  #run = emptyRun();
  /** True if the editor shows text of a failed attempt, which cannot be removed. */
  #hasFailedText = false;
  /** Content shown besides the result of a call, such as a diff or a terminal, by call id. */
  readonly #attached = new Map<string, readonly ToolCallContent[]>();
  /** Ids of the calls that the editor shows and whose end was not sent yet. */
  readonly #open = new Set<string>();
  /** Time at which the output of a call was last sent, by call id. */
  readonly #outputAt = new Map<string, number>();

  constructor(options: RunUpdatesOptions) {
    this.#options = options;
  }

  /** Returns the id by which the editor knows a call of this run. */
  readonly callId = (id: string): string => `${this.#options.prefix}-${id}`;

  updatesFor(event: RunEvent): readonly SessionUpdate[] {
    const before = this.#run;
    this.#run = reduceRun(before, event);
    // Cast: each entry of the table accepts the events of its type.
    const updates = (this.#handlers[event.type] as Handler<RunEvent['type']>)(event, before);
    return [...updates, ...this.#endsWithoutEvent()];
  }

  /** Attaches content to a call, such as a diff; later updates of the call include it. */
  attach(id: string, content: readonly ToolCallContent[]): SessionUpdate {
    this.#attached.set(id, content);
    return { sessionUpdate: 'tool_call_update', toolCallId: this.callId(id), content: [...content] };
  }

  readonly #handlers: { readonly [Type in RunEvent['type']]: Handler<Type> } = {
    agent_start: noUpdates,
    agent_turn_start: ({ phase }) => {
      this.#hasFailedText = false;
      return phase ? [messageChunk('thought', `\n\n**${phaseNames[phase]}**\n\n`)] : [];
    },
    draft_delta: ({ delta }) => this.#streamDelta('draft', delta),
    thought_delta: ({ delta }) => this.#streamDelta('thought', delta),
    answer_delta: ({ delta }) => this.#streamDelta('answer', delta),
    agent_reason: ({ response }, before) => [
      ...this.#unstreamedTexts(response, before),
      ...this.#warnings(response, before),
      ...this.#calls(response),
      ...this.#usage(response),
    ],
    approval_requested: noUpdates,
    tool_start: (event) => this.#status(event, 'in_progress'),
    tool_output: (event) => this.#tail(event),
    tool_complete: (event) => this.#end(event, 'completed', event.observation),
    tool_error: (event) => this.#end(event, 'failed', event.error),
    agent_observe: ({ response }, before) =>
      response ? [...this.#unstreamedTexts(response, before), ...this.#warnings(response, before)] : [],
    tasks_updated: ({ tasks }) => [toPlan(tasks)],
    agent_request_input: noUpdates,
    agent_request_input_timeout: () => [messageChunk('thought', 'No answer arrived in time.')],
    context_compacted: ({ tokensBefore, tokensAfter }) => [
      messageChunk('thought', `The history was shortened from ${tokensBefore} to ${tokensAfter} tokens.`),
    ],
    agent_error: ({ error, retryInMs }, before) => {
      if (retryInMs === null) return [];
      this.#hasFailedText ||= hasText(before);
      return [messageChunk('thought', `${error.message} Retrying in ${Math.ceil(retryInMs / 1000)} s.`)];
    },
    agent_stopped: ({ result: { inputRequest } }) =>
      inputRequest ? [messageChunk('answer', questionText(inputRequest))] : [],
    agent_completion: ({ result }, before) =>
      result.answer === null || result.answer.trim() === lastAnswer(before).trim()
        ? []
        : [messageChunk('answer', result.answer)],
  };

  /** Drafts are shown as answers, since most of them turn out to be one. */
  #streamDelta(part: 'draft' | Role, delta: string): SessionUpdate[] {
    if (streamedTexts(this.#run)[part] === '') return [];
    return [messageChunk(part === 'draft' ? 'answer' : part, delta)];
  }

  /**
   * Returns updates with the texts of the reply that were not streamed. If the streamed text differs from the parsed
   * reply, returns the whole reply again.
   */
  #unstreamedTexts(response: Step, before: RunView): SessionUpdate[] {
    const words = replyTexts(response);
    const { thought, answer } = words;
    const missing = this.#hasFailedText ? undefined : missingTexts(streamedTexts(before), words);
    if (missing) return missing.answer ? [messageChunk('answer', missing.answer)] : [];
    const hasStreamed = this.#hasFailedText || hasText(before);
    const fullReplyLabel = hasStreamed ? [messageChunk('answer', `\n\n${FULL_REPLY_LABEL}\n\n`)] : [];
    const texts = [
      ...(thought ? [messageChunk('thought', thought)] : []),
      ...(answer ? [messageChunk('answer', answer)] : []),
    ];
    return texts.length > 0 ? [...fullReplyLabel, ...texts] : [];
  }

  #warnings(response: Step, before: RunView): SessionUpdate[] {
    return newWarnings(response, before).map((warning) =>
      messageChunk('thought', `\n\nWarning: ${warning}\n\n`),
    );
  }

  #calls({ action_details, additional_actions }: Step): SessionUpdate[] {
    const calls = [action_details, ...additional_actions].flatMap((action) => action ?? []);
    return calls
      .map(toToolEvent)
      .filter((call) => !isRunTool(call))
      .map((call) => {
        this.#open.add(call.id);
        return {
          sessionUpdate: 'tool_call',
          toolCallId: this.callId(call.id),
          status: 'pending',
          ...describeCall(call, this.#options.folder),
        };
      });
  }

  /** Returns the ends of the calls that a stopped run did not run, because no event reports them. */
  #endsWithoutEvent(): SessionUpdate[] {
    if (this.#open.size === 0) return [];
    return (this.#run.steps.at(-1)?.actions ?? [])
      .filter(({ id, state }) => this.#open.has(id) && (state === 'skipped' || state === 'stopped'))
      .flatMap(({ id, tool, args, observation }) =>
        this.#end({ id, toolName: tool, toolArgs: args }, 'failed', observation ?? ''),
      );
  }

  #usage({ usage }: Step): SessionUpdate[] {
    if (!usage || usage.input_tokens === null) return [];
    const used = usage.input_tokens + (usage.output_tokens ?? 0);
    return [{ sessionUpdate: 'usage_update', used, size: this.#options.tokenLimit }];
  }

  #status(call: ToolEvent, status: ToolCallStatus): SessionUpdate[] {
    if (isRunTool(call)) return [];
    return [{ sessionUpdate: 'tool_call_update', toolCallId: this.callId(call.id), status }];
  }

  #tail(event: EventOf<'tool_output'>): SessionUpdate[] {
    const now = Date.now();
    if (isRunTool(event) || now - (this.#outputAt.get(event.id) ?? 0) < OUTPUT_EVERY_MS) return [];
    this.#outputAt.set(event.id, now);
    const action = this.#run.steps.at(-1)?.actions.find(({ id }) => id === event.id);
    return [this.#content(event.id, plainContent(action?.output.slice(-OUTPUT_TAIL_CHARS) ?? ''))];
  }

  #end(call: ToolEvent, status: ToolCallStatus, text: string): SessionUpdate[] {
    this.#outputAt.delete(call.id);
    this.#open.delete(call.id);
    if (isRunTool(call)) return [];
    // The diff already shows a successful change; a failed call shows its error.
    const content = this.#attached.has(call.id) && status === 'completed' ? [] : plainContent(text);
    return [{ ...this.#content(call.id, content), status, rawOutput: text }];
  }

  #content(id: string, more: readonly ToolCallContent[]) {
    const content = [...(this.#attached.get(id) ?? []), ...more];
    return { sessionUpdate: 'tool_call_update' as const, toolCallId: this.callId(id), content };
  }
}

const phaseNames = { reason: 'Reason', act: 'Act', observe: 'Observe' } as const;

const noUpdates = (): readonly SessionUpdate[] => [];

function hasText(run: RunView): boolean {
  const { draft, thought, answer } = streamedTexts(run);
  return draft + thought + answer !== '';
}

/** Returns an update that adds to the model's message or thought. */
export const messageChunk = (role: Role, text: string): SessionUpdate => ({
  sessionUpdate: role === 'answer' ? 'agent_message_chunk' : 'agent_thought_chunk',
  content: { type: 'text', text: showText(text) },
});

/** Formats the model's question as a message; the next prompt answers it. */
const questionText = ({ question, choices }: InputRequest): string =>
  [question, ...choices.map((choice) => `- ${choice}`)].join('\n');

const statuses = { todo: 'pending', in_progress: 'in_progress', completed: 'completed' } as const;

/** Returns the TODO list as an ACP plan. */
export const toPlan = (tasks: readonly Task[]): Plan & { sessionUpdate: 'plan' } => ({
  sessionUpdate: 'plan',
  entries: tasks.map(({ content, status }) => ({
    content: showText(content),
    priority: 'medium',
    status: statuses[status],
  })),
});
