import type { Task } from '../contract/step-request.js';

/** Checkboxes for the status of a task, used in prompts and in the results of the task tools. */
const taskMarks = { todo: '[ ]', in_progress: '[-]', completed: '[x]' } as const satisfies Record<
  Task['status'],
  string
>;

export const taskLegend = `${taskMarks.todo} to do, ${taskMarks.in_progress} in progress, ${taskMarks.completed} completed`;

/** Renders the TODO list for the model, one task a line; an empty string without tasks. */
export const renderTasks = (tasks: readonly Task[]): string =>
  tasks.map(({ id, content, status }) => `${taskMarks[status]} ${id}. ${oneLine(content)}`).join('\n');

/** Replaces each run of white space by one space. */
export const oneLine = (text: string): string => text.replaceAll(/[^\S ]\s*| \s+/g, ' ');
