import { type ApprovalDecision, type ApprovalRequest, describeRule, type ToolArguments } from 'stepwise';
import type { ChangedFile } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import { Pending } from '../run/pending.js';
import type { ChangeDocument, ChangeDocuments } from './change-documents.js';
import { SessionConsents } from './session-consents.js';

/** An approval request as the view shows it. */
export interface ApprovalView {
  /**
   * Unique for each request. Call ids are not enough: they start again in a new conversation, while buttons of the
   * previous one can still be clicked.
   */
  readonly id: string;
  readonly tool: string;
  readonly args: string;
  /** A diff or a command line; null if the tool has no preview. */
  readonly preview: string | null;
  /** The file that the call would change; null for other calls. */
  readonly path: string | null;
  /** Descriptions of the rules that the person can allow for the whole session. */
  readonly always: readonly string[];
}

/** The person's answer. `index` selects one of the offered rules. */
export type ApprovalAnswer =
  | { readonly choice: 'accept' }
  | { readonly choice: 'always'; readonly index: number }
  /** Runs the call with these arguments instead. */
  | { readonly choice: 'edit'; readonly args: ToolArguments }
  | { readonly choice: 'reject'; readonly reason: string };

interface Asked {
  readonly id: string;
  readonly request: ApprovalRequest;
  readonly change: ChangedFile | undefined;
  readonly document: ChangeDocument | undefined;
}

export interface ApprovalsParts {
  readonly documents: ChangeDocuments;
  readonly onChange: () => void;
  /** Called for each approval request. Asks in the editor, too, if the settings require it or the view is hidden. */
  readonly onAsk: (view: ApprovalView) => unknown;
}

/** Asks the person about each call that needs consent and remembers the rules allowed for this session. */
export class Approvals {
  readonly #consents = new SessionConsents();
  readonly #parts: ApprovalsParts;
  readonly #pending: Pending<Asked, ApprovalDecision>;
  #count = 0;

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
    this.#pending = new Pending(parts.onChange);
  }

  get view(): ApprovalView | null {
    return this.#pending.request ? toView(this.#pending.request) : null;
  }

  /** Receives each change from the file tools at preview time, before the person is asked. */
  readonly noteChange = async (callId: string, change: ChangedFile): Promise<void> =>
    this.#consents.noteChange(callId, change);

  /** Decides an approval request of the run: by the rules of the session, otherwise by asking the person. */
  readonly approve = async (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> => {
    if (this.#consents.allows(request)) return { type: 'allow' };
    const change = this.#consents.changeOf(request);
    const document = change && this.#parts.documents.open(change);
    const asked = { id: `${++this.#count}`, request, change, document };
    this.#parts.onAsk(toView(asked));
    const decided = this.#pending.ask(asked, signal);
    // Ignores a diff that cannot be opened, since the view shows the change, too.
    const shown = document?.show().catch(() => undefined);
    try {
      return await decided;
    } finally {
      await shown;
      await document?.close();
    }
  };

  /** Answers the pending request; ignores late answers to earlier ones. */
  answer(id: string, answer: ApprovalAnswer): void {
    const asked = this.#pending.request;
    if (asked?.id === id) this.#pending.decide(this.#decisionOf(asked, answer));
  }

  /**
   * Accepts the pending change. If a diff is given, accepts only if that diff shows this change: diffs of earlier
   * windows may still be open.
   */
  acceptChange(place: unknown): void {
    const asked = this.#pending.request;
    if (!asked?.document || (place instanceof vscode.Uri && !asked.document.isAt(place))) return;
    this.answer(asked.id, { choice: 'accept' });
  }

  async showChange(): Promise<void> {
    await this.#pending.request?.document?.show();
  }

  /** Removes all rules of the session, so that every call needs approval again. */
  forget(): void {
    this.#consents.forget();
  }

  #decisionOf({ request }: Asked, answer: ApprovalAnswer): ApprovalDecision {
    if (answer.choice === 'reject') return { type: 'deny', reason: answer.reason };
    if (answer.choice === 'edit') return { type: 'edit', args: answer.args };
    if (answer.choice === 'always') this.#consents.allow(request, answer.index);
    return { type: 'allow' };
  }
}

function toView({ id, request: { action, preview, rules }, change }: Asked): ApprovalView {
  return {
    id,
    tool: action.tool_name,
    args: JSON.stringify(action.tool_args, null, 2),
    preview,
    path: change?.path ?? null,
    always: change ? [`changes of ${change.path}`] : rules.map(describeRule),
  };
}
