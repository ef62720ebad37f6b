import type { Request, Response } from 'express';
import type { AccessTokens } from '../../operations/access/access-tokens.js';
import type { VisibleProjects, WatchStream } from '../../watching/watcher.js';
import { RequestRefused } from '../failure/to-failure.js';
import { watchPath } from '../middleware/paths.js';
import { stateOf } from '../middleware/request-state.js';
import type { Services } from '../services.js';
import type { Route } from './route.js';
import { TextStream } from './text-stream.js';

/** Route of the stream of all steps (rule: watch). A watcher occupies no slot of the requests in flight. */
export function watchRoute({ watch, tokens, inFlight }: Services): Route {
  return {
    path: watchPath,
    get: (request, response) => {
      if (!watch) throw refusal('not_found', 'watch_off', OFF);
      refuseOtherSites(request);
      const visible = tokens ? () => visibleWith(tokens, request) : () => 'all' as const;
      if (!visible()) throw refusal('forbidden', 'watch_not_allowed', NOT_ALLOWED);
      if (inFlight.draining) throw new RequestRefused('shutting_down');
      // A watcher ends its stream by leaving, so the log must not report that the caller left before the response.
      stateOf(response).isAnswered = true;
      if (request.method === 'HEAD') return void response.type('text/event-stream').end();
      const leave = watch.join({ stream: streamTo(response), visible });
      if (!leave) throw refusal('overloaded', 'too_many_watchers', TOO_MANY);
      response.once('close', leave);
    },
  };
}

/**
 * Returns the projects that the token of a request may watch now; undefined if the token is no longer valid or may
 * not watch.
 */
function visibleWith(tokens: AccessTokens, { headersDistinct }: Request): VisibleProjects | undefined {
  const caller = tokens.identify(headersDistinct['authorization'] ?? []);
  return typeof caller !== 'string' && caller.mayWatch ? caller.projects : undefined;
}

/**
 * Refuses requests of web pages of other sites, also of those that `CORS_ORIGINS` names. Such a page could not read
 * the answer, but it would use up one of the few streams for watchers.
 */
function refuseOtherSites(request: Request): void {
  const site = request.get('Sec-Fetch-Site') ?? 'none';
  if (site !== 'none' && site !== 'same-origin') throw refusal('forbidden', 'other_site', OTHER_SITE);
}

function streamTo(response: Response): WatchStream {
  const events = new TextStream(response, { opening: () => '' });
  return {
    send: (text) => events.send(text),
    end: () => events.end(''),
    destroy: () => response.destroy(),
  };
}

const OFF = 'watching is off; the operator of this service turns it on with WATCH=on';
const NOT_ALLOWED =
  'the token may not watch steps; ask the operator of this service for one whose entry has `watch: true`';
const OTHER_SITE = 'only pages of this service may watch its steps; CORS_ORIGINS does not apply here';
const TOO_MANY = 'the maximum number of watchers is reached; close the live view in another place';

const refusal = (
  code: 'not_found' | 'forbidden' | 'overloaded',
  detail: string,
  message: string,
): RequestRefused => new RequestRefused(code, [{ path: '', code: detail, message }]);
