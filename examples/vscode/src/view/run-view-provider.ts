import * as vscode from 'vscode';
import type { ShownStep } from '../run/conversation-view.js';
import { readViewRequest, type ViewMessage, type ViewRequest, type ViewState } from './messages.js';

/** Minimum milliseconds between updates of streamed text, however fast the deltas come. */
const FRAME_MS = 50;

interface RunViewParts {
  readonly extensionUri: vscode.Uri;
  readonly state: () => ViewState;
  readonly onRequest: (request: ViewRequest) => void;
  /** Called when the view is hidden. */
  readonly onHidden: () => void;
}

/** Provides the side view: loads its page, sends it the state, and receives its requests. */
export class RunViewProvider implements vscode.WebviewViewProvider {
  readonly #parts: RunViewParts;
  #view: vscode.WebviewView | undefined;
  /**
   * True if the view's page is loaded. Hiding the view discards the page, which sends `ready` when it is loaded again.
   */
  #isLoaded = false;
  #sent: readonly ShownStep[] = [];
  #frame: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: RunViewParts) {
    this.#parts = parts;
  }

  /** True if the page is visible. The editor's own `visible` is wrong for a view that was hidden during startup. */
  get isVisible(): boolean {
    return this.#isLoaded && this.#view?.visible === true;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const dist = vscode.Uri.joinPath(this.#parts.extensionUri, 'dist');
    this.#view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.html = pageOf(view.webview, dist);
    view.webview.onDidReceiveMessage((message: unknown) => {
      const request = readViewRequest(message);
      if (request?.type === 'ready') {
        this.#sent = [];
        this.#isLoaded = true;
      }
      if (request) this.#parts.onRequest(request);
    });
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#hide();
    });
    view.onDidDispose(() => {
      this.#view = undefined;
      this.#hide();
    });
  }

  /** Schedules an update with the newest state. */
  refresh(): void {
    if (this.#frame === undefined) this.#frame = setTimeout(() => this.#send(), FRAME_MS);
  }

  post(message: ViewMessage): void {
    this.#view?.webview.postMessage(message);
  }

  #hide(): void {
    this.#isLoaded = false;
    this.#parts.onHidden();
  }

  #send(): void {
    this.#frame = undefined;
    if (!this.#view) return;
    const { run, ...state } = this.#parts.state();
    const { steps, ...rest } = run;
    // Unchanged steps are the same objects as before.
    const from = steps.findIndex((step, index) => step !== this.#sent[index]);
    const first = from === -1 ? steps.length : from;
    this.#sent = steps;
    this.post({ type: 'state', state: { ...state, run: rest }, from: first, steps: steps.slice(first) });
  }
}

function pageOf(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = crypto.getRandomValues(new Uint32Array(4)).join('');
  const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const policy = [
    `default-src 'none'`,
    `style-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stepwise</title>
<link rel="stylesheet" href="${address('view.css')}">
</head>
<body>
<main id="app"></main>
<script nonce="${nonce}" src="${address('view.js')}"></script>
</body>
</html>`;
}
