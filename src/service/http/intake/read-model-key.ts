import { Secret } from '../../providers/secret.js';
import { RequestRefused } from '../failure/request-refused.js';

/** The caller's model key as a secret. Throws `malformed_api_key` before anything else sees what was sent. */
export function readModelKey(sent: string | undefined): Secret | undefined {
  if (!sent) return undefined;
  const key = Secret.parse(sent);
  if (!key) throw new RequestRefused('malformed_api_key');
  return key;
}
