import type { ApprovalRequest } from 'stepwise';
import type { ChangedFile } from 'stepwise/tools/browser';

/** Changes that are remembered: more than one step can have. */
const MAX_CHANGES = 100;

/** The tools that change files; their change is noted before anybody is asked. */
const writers = new Set(['edit_file', 'write_file']);

/** What a person always allows in this session: in memory, and taken back at once, in the middle of a run too. */
export class SessionConsents {
  readonly #allowed = new Set<string>();
  readonly #changes = new Map<string, ChangedFile>();

  noteChange(callId: string, change: ChangedFile): void {
    this.#changes.set(callId, change);
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > MAX_CHANGES && oldest !== undefined) this.#changes.delete(oldest);
  }

  /** What the call would do to a file. Ids begin anew with each conversation: a note of another call is not this one's. */
  changeOf({ action: { id, tool_name, tool_args } }: ApprovalRequest): ChangedFile | undefined {
    const change = this.#changes.get(id);
    return writers.has(tool_name) && change?.path === tool_args['path'] ? change : undefined;
  }

  allows(request: ApprovalRequest): boolean {
    return this.#choicesOf(request).some((choice) => this.#allowed.has(choice));
  }

  /** Allows one of the choices that the request came with; an index of none allows nothing more. */
  allow(request: ApprovalRequest, index: number): void {
    const choice = this.#choicesOf(request)[index];
    if (choice !== undefined) this.#allowed.add(choice);
  }

  forget(): void {
    this.#allowed.clear();
  }

  /** Changes of one file, or the rules that the SDK proposes for the call. */
  #choicesOf(request: ApprovalRequest): readonly string[] {
    const change = this.changeOf(request);
    return (change ? [{ file: change.path }] : request.rules).map((choice) => JSON.stringify(choice));
  }
}
