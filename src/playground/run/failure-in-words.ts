import type { StepError } from '../../sdk/index.js';

/** Explains an error and its remedy in the same words everywhere on the page. */
export const failureInWords = ({ code, message }: Pick<StepError, 'code' | 'message'>): string =>
  remedies.get(code) ?? message;

/** Replaces messages that name program options, such as `baseUrl`, which do not exist on this page. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['unauthenticated', 'This service asks for a token: give yours under Model.'],
  ['service_unreachable', 'The service does not answer. Once it runs again, go on from here.'],
  ['service_timeout', 'The service did not answer in time.'],
  ['missing_api_key', 'This model needs a key: give yours under Model.'],
]);
