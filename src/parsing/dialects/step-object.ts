import { isJsonObject, type JsonObject, type JsonValue, type Scanner } from '../text/scanner.js';
import { type CallPlace, type CallReading, withArguments } from './written-call.js';

/** All keys of the object that the prompt asks for with `protocol: "json"`. */
const stepKeys = ['thought', 'action', 'final_answer'] as const;

/**
 * Reads `{"thought", "action": {"tool", "args"}}` or `{"thought", "final_answer"}`, without other keys. A key with the
 * value null is treated as absent, and so is an empty answer beside an action. If the object has both an action and an
 * answer, the one that comes first is read (rule: step-object).
 */
export function readStepObject(value: JsonValue, place: CallPlace, scanner: Scanner): CallReading | null {
  if (!isJsonObject(value) || !holdsOnly(value, stepKeys)) return null;
  const { thought = null, action = null, final_answer: answer = null } = value;
  if (thought !== null && typeof thought !== 'string') return null;
  if (action !== null && !isAction(action)) return null;
  const keys = Object.keys(value).filter((key) => key !== 'thought' && value[key] !== null);
  const [first, second] = keys.length > 1 ? keys.filter((key) => value[key] !== '') : keys;
  if (first === undefined) return null;
  if (second !== undefined) scanner.repairs.add('second_outcome');
  const acts = first === 'action' && action !== null;
  const step = { thought: thought?.trim() ?? '', isStepObject: true, ...place };
  return acts
    ? withArguments({ name: action.tool, ...step }, action.args, scanner)
    : withArguments({ name: 'final_answer', ...step }, answer, scanner);
}

function holdsOnly(object: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(object).every((key) => keys.includes(key));
}

function isAction(value: JsonValue): value is { tool: string; args?: JsonValue } {
  if (!isJsonObject(value) || !holdsOnly(value, ['tool', 'args'])) return false;
  return typeof value['tool'] === 'string' && value['tool'] !== '';
}
