import { inMessage, MAX_MESSAGE_LENGTH, seen } from './in-message.js';

interface Asking {
  readonly tool: string;
  readonly args: string;
  readonly preview: string | null;
  readonly path: string | null;
}

/** The buttons of the question. */
export type Choice = 'Accept' | 'Reject' | 'Show';

interface EditorQuestion {
  readonly question: string;
  /** The diff that a dialog shows below the question; otherwise empty. */
  readonly detail: string;
  readonly choices: readonly Choice[];
}

const all = ['Accept', 'Reject', 'Show'] as const;
const notHere = ['Reject', 'Show'] as const;

/** Maximum length of a dialog's diff, in characters, since dialogs do not scroll. */
const MAX_DETAIL_LENGTH = 1_500;

/**
 * Builds the approval question that appears outside the view. For a change, a notification refers to the editor's diff;
 * a dialog hides that diff, so it contains the change itself. For any other call, the question contains the call. If
 * the text is too long, the person can accept only in the view.
 */
export function editorQuestion({ tool, args, preview, path }: Asking, isModal: boolean): EditorQuestion {
  const call = preview ?? args;
  if (path === null) {
    return {
      question: `Stepwise wants to run ${tool}: ${inMessage(call)}`,
      detail: '',
      choices: call.length > MAX_MESSAGE_LENGTH ? notHere : all,
    };
  }
  const question = `Stepwise wants to change ${inMessage(path)}.`;
  if (!isModal) return { question, detail: '', choices: all };
  return call.length > MAX_DETAIL_LENGTH
    ? {
        question,
        detail: `${seen(call.slice(0, MAX_DETAIL_LENGTH))}\n… Click “Show” to see the whole change.`,
        choices: notHere,
      }
    : { question, detail: seen(call), choices: all };
}
