import { isIPv6 } from 'node:net';
import { isLoopback } from '../../network/proxies/loopback.js';
import { credentialsIn, type GatewaySettings } from '../providers/gateway-settings.js';

/** The settings that decide who can reach the service and which data it would serve. */
export interface ExposureSettings {
  readonly HOST: string;
  readonly AUTH_TOKENS_FILE?: string | undefined;
  readonly ALLOW_UNAUTHENTICATED: 'on' | 'off';
  readonly PROJECTS: Readonly<Record<string, string>>;
  readonly PROJECTS_DIR?: string | undefined;
  readonly CONTEXT_SERVICE_URL?: string | undefined;
  readonly UPSTREAMS?: Readonly<Record<string, GatewaySettings | undefined>>;
  readonly WATCH?: 'on' | 'off';
  readonly TRUST_PROXY?: unknown;
}

/**
 * Returns a setting that would open the service to everybody who can reach it, with advice on what to set instead
 * (rule: safe-start).
 */
export function findExposure(settings: ExposureSettings): { setting: string; problem: string } | undefined {
  const { HOST, AUTH_TOKENS_FILE, ALLOW_UNAUTHENTICATED } = settings;
  if (!AUTH_TOKENS_FILE && !isLocal(HOST) && lendsCredential(settings))
    return { setting: 'UPSTREAMS', problem: NETWORK_CREDENTIAL };
  if (isWatchedByAnybody(settings)) return { setting: 'WATCH', problem: WATCHED_BY_ANYBODY };
  if (ALLOW_UNAUTHENTICATED === 'on') {
    const problem = AUTH_TOKENS_FILE ? CONTRADICTION : servesProjects(settings) ? OPEN_PROJECTS : undefined;
    return problem ? { setting: 'ALLOW_UNAUTHENTICATED', problem } : undefined;
  }
  if (AUTH_TOKENS_FILE || isLocal(HOST)) return undefined;
  return { setting: 'HOST', problem: servesProjects(settings) ? NETWORK_PROJECTS : NETWORK };
}

/**
 * Returns whether the `Host` header is the only means to tell a foreign web page from a local program
 * (rule: own-host): the service listens on this machine only and requires no token.
 */
export function answersOwnHostOnly(settings: ExposureSettings): boolean {
  const { HOST, AUTH_TOKENS_FILE, ALLOW_UNAUTHENTICATED } = settings;
  return isLocal(HOST) && !AUTH_TOKENS_FILE && ALLOW_UNAUTHENTICATED === 'off';
}

/** Returns whether a caller without a token could watch the steps of everybody (rule: watch). */
function isWatchedByAnybody(settings: ExposureSettings): boolean {
  const { WATCH, HOST, AUTH_TOKENS_FILE, ALLOW_UNAUTHENTICATED, TRUST_PROXY } = settings;
  if (WATCH !== 'on' || AUTH_TOKENS_FILE) return false;
  return !isLocal(HOST) || ALLOW_UNAUTHENTICATED === 'on' || TRUST_PROXY !== undefined;
}

const CONTRADICTION =
  'AUTH_TOKENS_FILE restricts callers, and ALLOW_UNAUTHENTICATED=on admits everybody: unset one of them';
const OPEN_PROJECTS =
  'PROJECTS, PROJECTS_DIR and CONTEXT_SERVICE_URL are not served to callers without a token: unset them, or replace ALLOW_UNAUTHENTICATED by AUTH_TOKENS_FILE';
const MAKE_TOKENS =
  'set AUTH_TOKENS_FILE to a file of tokens (create it with `stepwise token NAME --file FILE`), or HOST=127.0.0.1';
const NETWORK_PROJECTS = `PROJECTS, PROJECTS_DIR and CONTEXT_SERVICE_URL are served to the network only if callers need a token: ${MAKE_TOKENS}`;
const NETWORK = `at this address, everybody who can reach the port could use the service: ${MAKE_TOKENS}, or ALLOW_UNAUTHENTICATED=on if a proxy in front of the service authenticates callers`;

const NETWORK_CREDENTIAL = `headers or query hold a credential, which everybody who can reach the port could use: ${MAKE_TOKENS}`;

const WATCHED_BY_ANYBODY =
  'without tokens, everybody who can reach the port could read the prompts and replies of all callers: set AUTH_TOKENS_FILE to a file of tokens, one of which has `watch: true` (create it with `stepwise token NAME --watch --file FILE`); or listen on HOST=127.0.0.1 without TRUST_PROXY and ALLOW_UNAUTHENTICATED; or set WATCH=off';

const lendsCredential = ({ UPSTREAMS = {} }: ExposureSettings): boolean =>
  credentialsIn(UPSTREAMS).length > 0;

const isLocal = (host: string): boolean => isLoopback(isIPv6(host) ? `[${host}]` : host);

const servesProjects = ({ PROJECTS, PROJECTS_DIR, CONTEXT_SERVICE_URL }: ExposureSettings): boolean =>
  Object.keys(PROJECTS).length > 0 || PROJECTS_DIR !== undefined || CONTEXT_SERVICE_URL !== undefined;
