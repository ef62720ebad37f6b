import type { StepError } from '../../sdk/index.js';

/** Explains an error and its remedy in the same words everywhere on the page. */
export const failureInWords = ({ code, message }: Pick<StepError, 'code' | 'message'>): string =>
  remedies.get(code) ?? message;

/** Replaces messages that name program options, such as `baseUrl`, which do not exist on this page. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['unauthenticated', 'This service requires a token: enter yours under Model.'],
  ['service_unreachable', 'The service does not respond. When it is running again, continue from here.'],
  ['service_timeout', 'The service did not respond in time. Try again from this step.'],
  [
    'upstream_model_not_found',
    'The provider does not know this model: check its name and its upstream under Model.',
  ],
  ['missing_api_key', 'This model needs a key: enter yours under Model.'],
]);
