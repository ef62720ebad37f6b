import type { Locator } from 'playwright-core';
import type { RecordedRequest, ScriptedCompletion } from '../../../src/offline/testing.js';
import { sentPrompt } from '../../support/sent-prompt.js';
import type { Workbench } from '../../support/vscode/workbench.js';

/** A window with the side view, in the web or the desktop editor. */
type HasView = Pick<Workbench, 'view'>;

/** Types the task into the view and sends it. */
export async function send({ view }: HasView, task: string): Promise<void> {
  await view.getByRole('textbox', { name: 'Task' }).fill(task);
  await view.getByRole('button', { name: 'Send' }).click();
}

/** Waits for the end of the run and returns the view's text about it. */
export async function ended({ view }: HasView): Promise<string> {
  return view.getByRole('region', { name: 'End of the run' }).innerText();
}

export const step = ({ view }: HasView, number: number): Locator =>
  view.getByRole('article', { name: `Step ${number}`, exact: true });

export const answering = (answer: string): ScriptedCompletion => ({
  text: `Thought: I know enough.\nFinal Answer: ${answer}`,
});

/** Formats a completion with a call in the text protocol. */
export const calling = (call: string, thought = 'I look.'): ScriptedCompletion => ({
  text: `Thought: ${thought}\nAction: ${call}`,
});

/** Joins all messages of a request into one text. */
export const shownToModel = (request: RecordedRequest | undefined): string =>
  request
    ? sentPrompt(request)
        .map(({ text }) => text)
        .join('\n')
    : '';

/** Opens all collapsed parts. */
export async function unfoldAll(workbench: Workbench): Promise<void> {
  const frame = await workbench.viewFrame();
  await frame.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
}
