import type { ViewMessage, ViewRequest, ViewState } from '../view/messages.js';

/** The part of the editor's webview API that this page uses. */
interface HostApi {
  postMessage(request: ViewRequest): void;
}

declare function acquireVsCodeApi(): HostApi;

const api = acquireVsCodeApi();

/** Sends a request to the extension. */
export const request = (message: ViewRequest): void => api.postMessage(message);

/** Subscribes to messages of the extension; returns the unsubscribe function. */
export function onMessage(take: (message: ViewMessage) => void): () => void {
  // Only the editor can post to this page, since no other frame has a reference to its window.
  const listener = ({ data }: MessageEvent) => take(data as ViewMessage);
  window.addEventListener('message', listener);
  return () => window.removeEventListener('message', listener);
}

/** Returns the state after a partial update. */
export function applyMessage(before: ViewState | null, message: ViewMessage & { type: 'state' }): ViewState {
  const kept = before?.run.steps.slice(0, message.from) ?? [];
  return { ...message.state, run: { ...message.state.run, steps: [...kept, ...message.steps] } };
}
