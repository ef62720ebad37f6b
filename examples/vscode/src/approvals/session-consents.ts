import type { ApprovalRequest } from 'stepwise';
import type { ChangedFile } from 'stepwise/tools/browser';

/** Maximum number of remembered changes; more than a single step can propose. */
const MAX_CHANGES = 100;

/** Tools that change files and record each change before the person is asked. */
const writers = new Set(['edit_file', 'write_file']);

/** The rules allowed in this session. Kept in memory; revoking them takes effect even during a run. */
export class SessionConsents {
  readonly #allowed = new Set<string>();
  readonly #changes = new Map<string, ChangedFile>();

  noteChange(callId: string, change: ChangedFile): void {
    this.#changes.set(callId, change);
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > MAX_CHANGES && oldest !== undefined) this.#changes.delete(oldest);
  }

  /** Returns the change that a call proposes. Checks the path, too, since call ids repeat in the next conversation. */
  changeOf({ action: { id, tool_name, tool_args } }: ApprovalRequest): ChangedFile | undefined {
    const change = this.#changes.get(id);
    return writers.has(tool_name) && change?.path === plainPath(tool_args['path']) ? change : undefined;
  }

  allows(request: ApprovalRequest): boolean {
    return this.#choicesOf(request).some((choice) => this.#allowed.has(choice));
  }

  /** Allows one of the request's offered rules; ignores an invalid index. */
  allow(request: ApprovalRequest, index: number): void {
    const choice = this.#choicesOf(request)[index];
    if (choice !== undefined) this.#allowed.add(choice);
  }

  forget(): void {
    this.#allowed.clear();
  }

  /** Returns the offered rules: all changes of this file, or the SDK's rules for the call. */
  #choicesOf(request: ApprovalRequest): readonly string[] {
    const change = this.changeOf(request);
    return (change ? [{ file: change.path }] : request.rules).map((choice) => JSON.stringify(choice));
  }
}

/** Removes empty parts and `.` from a path, so that different spellings of one path are equal. */
const plainPath = (path: unknown): string =>
  String(path)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
