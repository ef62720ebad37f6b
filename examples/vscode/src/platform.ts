import type { Tool } from 'stepwise';
import type { MatchLines } from 'stepwise/tools/browser';
import type * as vscode from 'vscode';

/** What the desktop can do and a browser cannot, or does in another way. */
export interface Platform {
  /** Runs a model's regular expressions where they can be given up. */
  readonly matchLines: MatchLines;
  /** The tools that run commands, in the first of the folders that lies on this machine's disk; none in a browser. */
  readonly commandTools: (folders: readonly vscode.Uri[]) => Promise<readonly Tool[]>;
  /** The path where a folder really lies, its links followed; its own path where there are none to follow. */
  readonly realPath: (uri: vscode.Uri) => string;
  /** Starts the service in a terminal; undefined where there is none. */
  readonly startService: (() => void) | undefined;
}
