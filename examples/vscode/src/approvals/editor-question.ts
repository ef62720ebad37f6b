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
  /** The diff for a dialog, otherwise empty. */
  readonly detail: string;
  readonly choices: readonly Choice[];
}

const all = ['Accept', 'Reject', 'Show'] as const;
const notHere = ['Reject', 'Show'] as const;

/** Maximum length in characters, since dialogs do not scroll. */
const MAX_DETAIL_LENGTH = 1_500;

/**
 * Builds the approval question for outside the view. A notification refers to the editor's diff of a change; a
 * dialog hides that, so it contains the change itself. Other calls are part of the question. Anything too long
 * can only be accepted in the view.
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
        detail: `${seen(call.slice(0, MAX_DETAIL_LENGTH))}\n… “Show” has all of it.`,
        choices: notHere,
      }
    : { question, detail: seen(call), choices: all };
}
