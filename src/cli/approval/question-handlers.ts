import type { Approve } from '../../sdk/actions/approval.js';
import { NOBODY_TO_ASK } from '../../sdk/run/clear-actions.js';
import type { RunOptions } from '../../sdk/run/run-options.js';
import type { RunFlags } from '../commands/read-arguments.js';
import type { Screen } from '../screen/screen.js';
import type { Terminal } from '../screen/terminal.js';
import { showExact } from '../screen/visible-text.js';
import type { AcceptedEdits } from './accepted-edits.js';
import type { ApprovalRules } from './approval-rules.js';
import { askApproval, askInput } from './ask-person.js';

interface Asking {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly flags: Pick<RunFlags, 'json' | 'yes'>;
  readonly rules: ApprovalRules;
  readonly edits: AcceptedEdits;
}

/**
 * Returns the handlers for a run's approvals and questions. `--yes` allows everything; without a terminal nobody is
 * asked. `interrupt` ends the run.
 */
export function questionHandlers(
  asking: Asking,
  interrupt: () => void,
): Pick<RunOptions, 'approve' | 'onInputRequest'> {
  const { flags, terminal, screen } = asking;
  const allowAll: Approve = async () => ({ type: 'allow' });
  const denyAll: Approve = async () => ({ type: 'deny', reason: NOBODY_TO_ASK });
  if (flags.json || !terminal.isInteractive) return { approve: flags.yes ? allowAll : denyAll };
  return {
    approve: flags.yes ? allowAll : approveBy(asking),
    onInputRequest: async (request, signal) => {
      screen.hold();
      const answer = await askInput(terminal, request, signal);
      if (answer !== undefined) return answer;
      // Esc stops the run here, as everywhere else.
      if (!signal.aborted) interrupt();
      throw new Error('The person gave no answer.');
    },
  };
}

/** Asks for each approval and saves always-allow rules. */
function approveBy({ terminal, screen, rules, edits }: Asking): Approve {
  return async (request, signal) => {
    if (await edits.allows(request)) return { type: 'allow' };
    screen.hold();
    screen.recordApproved(request);
    const isEdit = await edits.covers(request);
    const decision = await askApproval(terminal, request, { signal, edits: isEdit ? edits : undefined });
    if (decision.type === 'always') {
      await rules
        .add(decision.rule)
        .catch((error: Error) => screen.print(showExact(`The rule could not be saved: ${error.message}`)));
    }
    return decision;
  };
}
