import * as vscode from 'vscode';
import type { ApprovalView } from './approvals.js';
import { type Choice, editorQuestion } from './editor-question.js';
import { inMessage } from './in-message.js';

/** Asks in a notification, or in a dialog where the person wants one. */
export async function askInEditor(view: ApprovalView, isModal: boolean): Promise<Choice | undefined> {
  const { question, detail, choices } = editorQuestion(view, isModal);
  if (!isModal) return vscode.window.showInformationMessage(question, ...choices);
  return vscode.window.showWarningMessage(question, { modal: true, detail }, ...choices);
}

/** Tells in a notification what the model asks, which is answered in the view. */
export async function tellOfQuestion(question: string): Promise<void> {
  const choice = await vscode.window.showInformationMessage(
    `Stepwise: the model asks: ${inMessage(question)}`,
    'Answer',
  );
  if (choice) await vscode.commands.executeCommand('stepwise.show');
}
