import type { ViewMessage, ViewRequest, ViewState } from '../view/messages.js';

/** As much of the editor's API for a view's page as is used. */
interface HostApi {
  postMessage(request: ViewRequest): void;
}

declare function acquireVsCodeApi(): HostApi;

const api = acquireVsCodeApi();

/** Asks the extension for something. */
export const request = (message: ViewRequest): void => api.postMessage(message);

/** Tells every message of the extension; gives back what ends that. */
export function onMessage(take: (message: ViewMessage) => void): () => void {
  // Only the editor can post to this page: no other frame knows its window.
  const listener = ({ data }: MessageEvent) => take(data as ViewMessage);
  window.addEventListener('message', listener);
  return () => window.removeEventListener('message', listener);
}

/** The state after a message that changes a part of it. */
export function applyMessage(before: ViewState | null, message: ViewMessage & { type: 'state' }): ViewState {
  const kept = before?.run.steps.slice(0, message.from) ?? [];
  return { ...message.state, run: { ...message.state.run, steps: [...kept, ...message.steps] } };
}
