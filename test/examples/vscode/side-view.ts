import type { Locator } from 'playwright-core';
import type { RecordedRequest, ScriptedCompletion } from '../../../src/offline/testing.js';
import { sentPrompt } from '../../support/sent-prompt.js';
import type { Workbench } from '../../support/vscode/workbench.js';

/** A window with the side view, of the workbench or of an editor. */
type HasView = Pick<Workbench, 'view'>;

/** Writes the task into the view and sends it. */
export async function send({ view }: HasView, task: string): Promise<void> {
  await view.getByRole('textbox', { name: 'Task' }).fill(task);
  await view.getByRole('button', { name: 'Send' }).click();
}

/** What the view says at the end of the run, once it has ended. */
export async function ended({ view }: HasView): Promise<string> {
  return view.getByRole('region', { name: 'End of the run' }).innerText();
}

export const step = ({ view }: HasView, number: number): Locator =>
  view.getByRole('article', { name: `Step ${number}`, exact: true });

export const answering = (answer: string): ScriptedCompletion => ({
  text: `Thought: I know enough.\nFinal Answer: ${answer}`,
});

/** Arguments as the written protocol has them. */
export const calling = (call: string, thought = 'I look.'): ScriptedCompletion => ({
  text: `Thought: ${thought}\nAction: ${call}`,
});

/** All that the model was shown, as one text. */
export const shownToModel = (request: RecordedRequest | undefined): string =>
  request
    ? sentPrompt(request)
        .map(({ text }) => text)
        .join('\n')
    : '';

/** Shows all that is folded. */
export async function unfoldAll(workbench: Workbench): Promise<void> {
  const frame = await workbench.viewFrame();
  await frame.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
}
