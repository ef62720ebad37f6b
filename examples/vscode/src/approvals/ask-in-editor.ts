import * as vscode from 'vscode';
import type { ApprovalView } from './approvals.js';
import { type Choice, editorQuestion } from './editor-question.js';
import { inMessage } from './in-message.js';

/** Asks the person to approve a call: in a dialog if `isModal`, otherwise in a notification. */
export async function askInEditor(view: ApprovalView, isModal: boolean): Promise<Choice | undefined> {
  const { question, detail, choices } = editorQuestion(view, isModal);
  if (!isModal) return vscode.window.showInformationMessage(question, ...choices);
  return vscode.window.showWarningMessage(question, { modal: true, detail }, ...choices);
}

/** Notifies the person of the model's question. The person answers it in the view. */
export async function notifyOfQuestion(question: string): Promise<void> {
  const choice = await vscode.window.showInformationMessage(
    `Stepwise: the model asks: ${inMessage(question)}`,
    'Answer',
  );
  if (choice) await vscode.commands.executeCommand('stepwise.show');
}
