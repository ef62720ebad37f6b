import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import type { Display } from '../display/display.js';

/** Built-in tools that change a file and do nothing else. Other tools cannot use their names. */
const editingTools: ReadonlySet<string> = new Set(['edit_file', 'write_file']);

/** Returns true if this tool only changes a file. */
export const isEdit = (tool: string): boolean => editingTools.has(tool);

const SIGN = '  file edits are allowed without asking (Shift-Tab turns this off)';

interface AcceptedEditsParts {
  readonly root: Pick<ProjectRoot, 'nameOf'>;
  readonly display: Pick<Display, 'show' | 'isLive' | 'paint'>;
  /** False with `--yes`, which allows everything anyway, so the mode would add nothing. */
  readonly needsApproval: boolean;
}

/**
 * Session mode that allows file edits without approval. A status row is visible as long as the mode is on. The mode is
 * never saved (rule: accepted-edits).
 */
export class AcceptedEdits {
  readonly #parts: AcceptedEditsParts;
  #areAllowed = false;

  constructor(parts: AcceptedEditsParts) {
    this.#parts = parts;
  }

  /** Turns the mode on or off. It stays off if the display cannot show it. */
  toggle(): void {
    const { display, needsApproval } = this.#parts;
    this.#areAllowed = !this.#areAllowed && display.isLive && needsApproval;
    display.show('mode', this.#areAllowed ? [display.paint('yellow', SIGN)] : []);
  }

  /** Returns true if the mode is on and allows this call without approval. */
  async allows(request: Pick<ApprovalRequest, 'action'>): Promise<boolean> {
    return this.#areAllowed && (await this.covers(request));
  }

  /** Returns true if the mode would allow this call, whether or not it is on. */
  async covers(request: Pick<ApprovalRequest, 'action'>): Promise<boolean> {
    const { display, root } = this.#parts;
    return display.isLive && isPlainEdit(request, root);
  }
}

/**
 * Returns true for an edit by a built-in tool inside the folder, after resolving links. Paths with a name that begins
 * with a dot always need approval, since other programs run what they contain (`.git/hooks`, `.envrc`,
 * `.github/workflows`).
 */
export async function isPlainEdit(
  { action: { tool_name, tool_args } }: Pick<ApprovalRequest, 'action'>,
  root: Pick<ProjectRoot, 'nameOf'>,
): Promise<boolean> {
  const { path } = tool_args;
  if (!isEdit(tool_name) || typeof path !== 'string') return false;
  const name = await root.nameOf(path).catch(() => undefined);
  return name !== undefined && !name.split('/').some((part) => part.startsWith('.'));
}
