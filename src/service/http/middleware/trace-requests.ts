import type { Tracing } from '../../operations/tracing/request-trace.js';
import { type Preparation, stateOf } from './request-state.js';

/** Begins the trace of every request of the API, refused ones included (rule: tracing). */
export function traceRequests(tracing: Tracing): Preparation {
  return ({ method, headers }, response) => {
    const state = stateOf(response);
    const { route } = state;
    if (method !== 'OPTIONS' && route.startsWith('/api/'))
      state.trace = tracing.begin({ method, route, headers });
  };
}
