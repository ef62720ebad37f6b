import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import type { Display } from '../display/display.js';

/** The tools of the pack that change a file and do nothing else. No other tool can have their names. */
const editingTools: ReadonlySet<string> = new Set(['edit_file', 'write_file']);

/** True for the name of a tool that changes a file. */
export const isEdit = (tool: string): boolean => editingTools.has(tool);

const SIGN = '  edits of files are allowed without asking (Shift-Tab ends it)';

interface AcceptedEditsParts {
  readonly root: Pick<ProjectRoot, 'nameOf'>;
  readonly display: Pick<Display, 'show' | 'isLive' | 'paint'>;
  /** False where everything is allowed anyway: nothing is said then that would be no more than half of it. */
  readonly isAsked: boolean;
}

/**
 * Edits of files, allowed without a question for as long as the person wants it in this session, which stands on the
 * screen the whole time. It is kept nowhere (rule: accepted-edits).
 */
export class AcceptedEdits {
  readonly #parts: AcceptedEditsParts;
  #areAllowed = false;

  constructor(parts: AcceptedEditsParts) {
    this.#parts = parts;
  }

  /** Begins or ends it; where nothing can stand on the screen, it never begins. */
  toggle(): void {
    const { display, isAsked } = this.#parts;
    this.#areAllowed = !this.#areAllowed && display.isLive && isAsked;
    display.show('mode', this.#areAllowed ? [display.paint('yellow', SIGN)] : []);
  }

  /** True if this call needs no question now. */
  async allows(request: Pick<ApprovalRequest, 'action'>): Promise<boolean> {
    return this.#areAllowed && (await this.covers(request));
  }

  /** True if this call would need none while edits are allowed, and they can be. */
  async covers(request: Pick<ApprovalRequest, 'action'>): Promise<boolean> {
    const { display, root } = this.#parts;
    return display.isLive && isPlainEdit(request, root);
  }
}

/**
 * True for a change of a file in the folder by a tool of the pack, wherever links lead. Names that begin with a dot
 * are asked about each time: other programs run what is in them (`.git/hooks`, `.envrc`, `.github/workflows`).
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
