import type { Task } from '../contract/step-request.js';

/** The marks of a task's status, in prompts and in the answers of the task tools. */
const taskMarks = { todo: '[ ]', in_progress: '[-]', completed: '[x]' } as const satisfies Record<
  Task['status'],
  string
>;

export const taskLegend = `${taskMarks.todo} to do, ${taskMarks.in_progress} in progress, ${taskMarks.completed} completed`;

/** Renders the TODO list as the model reads it, a task a line; empty if there are none. */
export const renderTasks = (tasks: readonly Task[]): string =>
  tasks.map(({ id, content, status }) => `${taskMarks[status]} ${id}. ${oneLine(content)}`).join('\n');

/** Replaces each run of white space by one space. Most texts hold single spaces alone and stay the same string. */
export const oneLine = (text: string): string => text.replaceAll(/[^\S ]\s*| \s+/g, ' ');
