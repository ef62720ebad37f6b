import { StepwiseClient, StepwiseError } from 'stepwise';
import type { Remedy } from '../run/conversation-view.js';
import { explainFailure } from '../run/explain-failure.js';
import type { Secrets } from './secrets.js';
import type { Settings } from './settings.js';

/** The state of the service as the view shows it. */
export interface ServiceView {
  readonly state: 'checking' | 'ready' | 'trouble';
  /** Instructions for the person if the state is `trouble`, otherwise empty. */
  readonly sentence: string;
  readonly remedies: readonly Remedy[];
}

const CHECK_TIMEOUT_MS = 5_000;

export const checking: ServiceView = { state: 'checking', sentence: '', remedies: [] };

const ready: ServiceView = { state: 'ready', sentence: '', remedies: [] };

const startService: Remedy = { label: 'Start it in a terminal', command: 'stepwise.startService' };
const checkAgain: Remedy = { label: 'Check again', command: 'stepwise.checkService' };

/**
 * Checks the connection by listing the models. This cheap request reveals a wrong address, a missing token, or a page
 * origin that the service refuses.
 */
export async function reachService(
  { serviceUrl }: Settings,
  secrets: Secrets,
  canStart: boolean,
): Promise<ServiceView> {
  try {
    const client = new StepwiseClient({
      baseUrl: serviceUrl,
      token: (await secrets.read()).token,
      timeoutMs: CHECK_TIMEOUT_MS,
    });
    await client.models();
    return ready;
  } catch (error) {
    const failure = error instanceof StepwiseError ? error.toStepError() : undefined;
    if (failure && !noAnswer.has(failure.code)) {
      const { sentence, remedy } = explainFailure(failure);
      return { state: 'trouble', sentence, remedies: remedy ? [remedy, checkAgain] : [checkAgain] };
    }
    return unreachable(serviceUrl, canStart);
  }
}

const noAnswer = new Set(['service_unreachable', 'service_timeout']);

/** Returns the address without credentials and query, for use in messages. */
const nameOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : 'the address in stepwise.serviceUrl';

const unreachable = (address: string, canStart: boolean): ServiceView => ({
  state: 'trouble',
  sentence: `No service answers at ${nameOf(address)}. Start it with “stepwise serve”, or change stepwise.serviceUrl.${originHint()}`,
  remedies: canStart ? [startService, checkAgain] : [checkAgain],
});

/** Returns a hint for browsers, where a service that refuses the page's origin looks like one that is down. */
const originHint = (): string =>
  typeof globalThis.origin === 'string'
    ? ` If it runs, start it with CORS_ORIGINS=${globalThis.origin}, so that it lets this page call.`
    : '';
