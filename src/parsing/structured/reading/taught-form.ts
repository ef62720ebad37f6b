import type { JsonValue } from '../../text/scanner.js';
import { isRecord } from '../schema/image.js';
import { isControl } from './control-object.js';
import { endOf, type ScannedReply } from './scanned-reply.js';

/** No schema of replies has as many. */
const MOST_FIELDS = 16;

/** Whether the object is JSON, and of the schema of replies but for the arguments (rule: constrained-confidence). */
export function isTaughtForm(reply: ScannedReply): boolean {
  if (reply.scanner.fields.length > MOST_FIELDS) return false;
  const value = parse(reply.text.slice(reply.start, endOf(reply)));
  if (!isRecord(value) || typeof value['thought'] !== 'string') return false;
  if (isControl(reply)) return true;
  const { thought: _, action, final_answer: answer, ...others } = value;
  if (Object.keys(others).length > 0) return false;
  if (action === undefined) return typeof answer === 'string' && reply.answerKey !== 'action';
  return answer === undefined && isRecord(action) && isAction(action, reply);
}

function isAction(action: Readonly<Record<string, JsonValue>>, { answerKey }: ScannedReply): boolean {
  const keys = Object.keys(action);
  if (keys.length === 1) return typeof action['final_answer'] === 'string' && answerKey !== 'final_answer';
  return keys.length === 2 && keys.includes('tool') && keys.includes('args');
}

function parse(written: string): JsonValue | undefined {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
