import type { Tool } from 'stepwise';
import type { MatchLines } from 'stepwise/tools/browser';
import type * as vscode from 'vscode';

/** Capabilities that differ between the desktop and a browser. */
export interface Platform {
  /** Matches a model's regular expressions in a way that can be aborted. */
  readonly matchLines: MatchLines;
  /** Creates the tools that run commands, in the first folder on this machine's disk; empty in a browser. */
  readonly commandTools: (folders: readonly vscode.Uri[]) => Promise<readonly Tool[]>;
  /** Resolves the symbolic links in a folder's path; returns the path unchanged where links cannot be resolved. */
  readonly realPath: (uri: vscode.Uri) => string;
  /** Starts the service in a terminal; undefined where terminals are unavailable. */
  readonly startService: (() => void) | undefined;
}
