import { inMessage, MAX_MESSAGE_LENGTH, seen } from './in-message.js';

interface Asking {
  readonly tool: string;
  readonly args: string;
  readonly preview: string | null;
  readonly path: string | null;
}

/** What a person may press. */
export type Choice = 'Accept' | 'Reject' | 'Show';

interface EditorQuestion {
  readonly question: string;
  /** The change, in a dialog; else empty. */
  readonly detail: string;
  readonly choices: readonly Choice[];
}

const all = ['Accept', 'Reject', 'Show'] as const;
const notHere = ['Reject', 'Show'] as const;

/** In characters: a dialog does not scroll. */
const MAX_DETAIL_LENGTH = 1_500;

/**
 * What a person is asked outside the view. A change stands in the editor's diff meanwhile, which a dialog hides and shows
 * itself; any other call stands in the question. What is too long for either can be accepted in the view alone.
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
