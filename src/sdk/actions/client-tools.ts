import type { Task } from '../../contract/step-request.js';
import { renderTasks } from '../../conversation/task-list.js';
import { defineTool, type Tool } from './define-tool.js';
import { ToolError } from './tool-errors.js';

/** Names of the tools that the SDK itself provides to every run. */
export const clientToolNames = [
  'create_tasks',
  'update_task_status',
  'get_tasks',
  'request_input',
  'compact_context',
] as const;

/** The name of a tool that the SDK itself provides. */
export type ClientToolName = (typeof clientToolNames)[number];

/** A question of the model to the person. */
export interface InputRequest {
  /** Id of the `request_input` call. */
  readonly callId: string;
  /** The question in the model's words. */
  readonly question: string;
  /** Answers that the model suggests; may be empty. The person may give any other answer. */
  readonly choices: readonly string[];
  /** Maximum time that the run waits for the answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** The part of a run that the SDK's own tools read and change. */
export interface ClientToolHost {
  readonly inputTimeoutMs: number;
  readonly tasks: readonly Task[];
  setTasks(tasks: readonly Task[]): Promise<void>;
  /** Returns the answer, or undefined if the run continues without one. Throws `InputNeeded` if the run must end unanswered. */
  requestInput(question: Omit<InputRequest, 'timeoutMs'>, signal: AbortSignal): Promise<string | undefined>;
  requestCompaction(): void;
}

/**
 * Thrown to end a run if nobody answers the question of the model. The call stays open; the task of the next run
 * is its answer.
 */
export class InputNeeded extends Error {
  override readonly name = 'InputNeeded';
  readonly request: InputRequest;

  constructor(request: InputRequest) {
    super('The run waits for an answer.');
    this.request = request;
  }
}

/** Creates the SDK's own tools (rule: client-tools). They change the run only, no files and nothing outside. */
export function createClientTools(host: ClientToolHost): Readonly<Record<ClientToolName, Tool>> {
  return {
    create_tasks: createTasksTool(host),
    update_task_status: updateTaskStatusTool(host),
    get_tasks: getTasksTool(host),
    request_input: requestInputTool(host),
    compact_context: compactContextTool(host),
  };
}

const showTasks = ({ tasks }: ClientToolHost): string => renderTasks(tasks) || 'No tasks.';

const createTasksTool = (host: ClientToolHost): Tool =>
  defineTool({
    name: 'create_tasks',
    description:
      'Write your TODO list, in the order in which you will do the tasks; replaces the list there is. ' +
      'For work of several steps.',
    inputSchema: {
      type: 'object',
      properties: {
        tasks: {
          type: 'array',
          description:
            'Each task is a text, or an object with a status if it is already in progress or completed.',
          items: {
            anyOf: [
              { type: 'string' },
              {
                type: 'object',
                properties: { content: { type: 'string' }, status: { type: 'string', enum: statuses } },
                required: ['content'],
              },
            ],
          },
        },
      },
      required: ['tasks'],
    },
    execute: async ({ tasks }) => {
      const written = tasks.map(readTask).filter(({ content }) => content !== '');
      if (written.length === 0) throw new ToolError('Give at least one task.');
      if (written.length > MAX_TASKS)
        throw new ToolError(`Give at most ${MAX_TASKS} tasks; these are ${written.length}.`);
      await host.setTasks(written.map((task, index) => ({ id: index + 1, ...task })));
      return showTasks(host);
    },
  });

/** Maximum number of tasks that the service accepts (rule: body-limits): a longer list would end the run. */
const MAX_TASKS = 1_000;

const statuses = ['todo', 'in_progress', 'completed'] as const satisfies readonly Task['status'][];

function readTask(value: unknown): Omit<Task, 'id'> {
  if (typeof value === 'string') return { content: value.trim(), status: 'todo' };
  const { content, status: wanted = 'todo' }: { content?: unknown; status?: unknown } = Object(value);
  const status = statuses.find((each) => each === wanted);
  if (typeof content === 'string' && status) return { content: content.trim(), status };
  throw new ToolError(`A task is a text, or { content, status? } with status ${statuses.join(', ')}.`);
}

const updateTaskStatusTool = (host: ClientToolHost): Tool =>
  defineTool({
    name: 'update_task_status',
    description: 'Set the status of a task on your TODO list.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        status: { type: 'string', enum: statuses },
      },
      required: ['id', 'status'],
    },
    execute: async ({ id, status }) => {
      if (!host.tasks.some((task) => task.id === id)) throw new ToolError(`There is no task ${id}.`);
      await host.setTasks(host.tasks.map((task) => (task.id === id ? { ...task, status } : task)));
      return showTasks(host);
    },
  });

const getTasksTool = (host: ClientToolHost): Tool =>
  defineTool({
    name: 'get_tasks',
    description: 'Show your TODO list.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    execute: () => showTasks(host),
  });

const requestInputTool = (host: ClientToolHost): Tool =>
  defineTool({
    name: 'request_input',
    description: 'Ask the person a question and wait for the answer. Only for what no other tool can tell.',
    inputSchema: {
      type: 'object',
      properties: {
        question: { type: 'string' },
        choices: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from.' },
      },
      required: ['question'],
    },
    timeoutMs: host.inputTimeoutMs + 60_000, // longer than the question's own time limit, which must fire first
    execute: async ({ question, choices = [] }, { callId, signal }) => {
      const answer = await host.requestInput({ callId, question, choices }, signal);
      if (answer === undefined)
        throw new ToolError('Nobody answered in time. Go on with a sensible assumption.');
      return answer;
    },
  });

const compactContextTool = (host: ClientToolHost): Tool =>
  defineTool({
    name: 'compact_context',
    description:
      'Shorten the history of this run before the next step, keeping task, decisions and latest results.',
    inputSchema: { type: 'object', properties: {} },
    execute: () => {
      host.requestCompaction();
      return 'The history will be shortened before the next step.';
    },
  });
