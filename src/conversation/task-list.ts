import type { Task } from '../contract/step-request.js';

/** How the model sees the status of a task; one set of marks for the prompt and for what the task tools answer. */
const taskMarks = { todo: '[ ]', in_progress: '[-]', completed: '[x]' } as const satisfies Record<
  Task['status'],
  string
>;

export const taskLegend = `${taskMarks.todo} to do, ${taskMarks.in_progress} in progress, ${taskMarks.completed} completed`;

/** The TODO list as the model reads it, a task a line; empty if there are none. */
export const renderTasks = (tasks: readonly Task[]): string =>
  tasks.map((task) => renderTask(task, oneLine(task.content))).join('\n');

/** One task, with its content on one line. */
export const renderTask = ({ id, status }: Task, line: string): string =>
  `${taskMarks[status]} ${id}. ${line}`;

/** Each run of white space as one space; most texts hold single spaces alone, and stay the very text. */
export const oneLine = (text: string): string => text.replaceAll(/[^\S ]\s*| \s+/g, ' ');
