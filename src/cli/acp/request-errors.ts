import { RequestError } from '@agentclientprotocol/sdk';
import { StepwiseError } from '../../sdk/base/stepwise-error.js';
import { UsageError } from '../commands/usage.js';
import { explainFailure } from '../screen/explain-failure.js';

// Editors show the messages of these errors to the person. The SDK's own errors begin with a name such as "Invalid params".

export const invalidParams = (message: string, data?: object): RequestError =>
  new RequestError(-32602, message, data);

export const invalidRequest = (message: string): RequestError => new RequestError(-32600, message, {});

export const sessionNotFound = (sessionId: string, message: string): RequestError =>
  new RequestError(-32002, message, { sessionId });

/**
 * Turns a `UsageError`, such as a missing key, or a failure of the service into a request error with the message of
 * the terminal. The code is not `auth_required`: no sign-in method is offered, and some editors would then hide the
 * message.
 */
export function toRequestError(error: unknown): never {
  if (error instanceof UsageError) throw invalidRequest(error.message);
  if (!(error instanceof StepwiseError)) throw error;
  throw new RequestError(-32603, explainFailure(error.toStepError()), { code: error.code });
}
