import type { StepError } from '../../sdk/index.js';

/** What went wrong, and what a person can do about it; the same words wherever it is said. */
export const failureInWords = ({ code, message }: Pick<StepError, 'code' | 'message'>): string =>
  remedies.get(code) ?? message;

/** Where the message is for a program, and the person of this page knows of no `baseUrl` or header. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['unauthenticated', 'This service asks for a token: give yours under Model.'],
  ['service_unreachable', 'The service does not answer. Once it runs again, go on from here.'],
  ['service_timeout', 'The service did not answer in time.'],
  ['missing_api_key', 'This model needs a key: give yours under Model.'],
]);
