import { type ApprovalDecision, type ApprovalRequest, describeRule, type ToolArguments } from 'stepwise';
import type { ChangedFile } from 'stepwise/tools/browser';
import * as vscode from 'vscode';
import { Pending } from '../run/pending.js';
import type { ChangeDocument, ChangeDocuments } from './change-documents.js';
import { SessionConsents } from './session-consents.js';

/** What a person is asked to agree to, as the view shows it. */
export interface ApprovalView {
  /** Of this asking alone: the id of a call comes again in the next conversation, where an old button may still be clicked. */
  readonly id: string;
  readonly tool: string;
  readonly args: string;
  /** A diff or a command line; null where the tool cannot tell. */
  readonly preview: string | null;
  /** The file that would be changed; null for other calls. */
  readonly path: string | null;
  /** What "always" would allow, each in words. */
  readonly always: readonly string[];
}

/** What a person answers. `always` is an index of the offered ones. */
export type ApprovalAnswer =
  | { readonly choice: 'accept' }
  | { readonly choice: 'always'; readonly index: number }
  /** Runs with these arguments instead. */
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
  /** Asks in the editor as well, where the settings or a hidden view want it. */
  readonly onAsk: (view: ApprovalView) => unknown;
}

/** Asks the person about each call that needs consent, and remembers for this session what they always allow. */
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

  /** For the file tools: told each change when it is previewed, before anybody is asked. */
  readonly noteChange = async (callId: string, change: ChangedFile): Promise<void> =>
    this.#consents.noteChange(callId, change);

  /** For the run. */
  readonly approve = async (request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> => {
    if (this.#consents.allows(request)) return { type: 'allow' };
    const change = this.#consents.changeOf(request);
    const document = change && this.#parts.documents.open(change);
    const asked = { id: `${++this.#count}`, request, change, document };
    this.#parts.onAsk(toView(asked));
    const decided = this.#pending.ask(asked, signal);
    // The view shows the change as well: a diff that cannot be opened holds nothing up.
    const shown = document?.show().catch(() => undefined);
    try {
      return await decided;
    } finally {
      await shown;
      await document?.close();
    }
  };

  /** An answer to what is asked; one to another question comes too late and does nothing. */
  answer(id: string, answer: ApprovalAnswer): void {
    const asked = this.#pending.request;
    if (asked?.id === id) this.#pending.decide(this.#decisionOf(asked, answer));
  }

  /** Accepts the change that is asked about; above a diff, if it is that one: another may be left of an earlier window. */
  acceptChange(place: unknown): void {
    const asked = this.#pending.request;
    if (!asked?.document || (place instanceof vscode.Uri && !asked.document.isAt(place))) return;
    this.answer(asked.id, { choice: 'accept' });
  }

  async showChange(): Promise<void> {
    await this.#pending.request?.document?.show();
  }

  /** Everything is asked about again. */
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
