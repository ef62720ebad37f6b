import { randomUUID } from 'node:crypto';

/** The caller's id where it is harmless in headers and logs, else a new one (SPEC §14). */
export function requestId(sent: string | undefined): string {
  return sent !== undefined && /^[\w.-]{1,128}$/.test(sent) ? sent : randomUUID();
}
