import { inMessage, MAX_MESSAGE_LENGTH } from './in-message.js';

interface Asking {
  readonly tool: string;
  readonly args: string;
  readonly preview: string | null;
  readonly path: string | null;
}

type Choice = 'Accept' | 'Reject' | 'Show';

/**
 * What a person is asked outside the view. A change stands in the editor's diff meanwhile; any other call stands in the
 * question, and what is too long for it can be accepted in the view alone.
 */
export function editorQuestion({ tool, args, preview, path }: Asking): {
  readonly question: string;
  readonly choices: readonly Choice[];
} {
  if (path !== null) {
    return {
      question: `Stepwise wants to change ${inMessage(path)}.`,
      choices: ['Accept', 'Reject', 'Show'],
    };
  }
  const call = preview ?? args;
  return {
    question: `Stepwise wants to run ${tool}: ${inMessage(call)}`,
    choices: call.length > MAX_MESSAGE_LENGTH ? ['Reject', 'Show'] : ['Accept', 'Reject', 'Show'],
  };
}
