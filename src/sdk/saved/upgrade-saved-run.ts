import { isObject } from '../../conversation/is-object.js';

/** New names by former names, for the fields of a saved run, its result, its actions and its question. */
const newNames: ReadonlyMap<string, string> = new Map([
  ['project_id', 'projectId'],
  ['session_id', 'sessionId'],
  ['began_with', 'beganWith'],
  ['recorded_steps', 'recordedSteps'],
  ['stop_reason', 'stopReason'],
  ['termination_reason', 'terminationReason'],
  ['input_request', 'inputRequest'],
  ['call_id', 'callId'],
  ['timeout_ms', 'timeoutMs'],
  ['tool_name', 'toolName'],
  ['tool_args', 'toolArgs'],
  ['result_summary', 'resultSummary'],
]);

/** Gives a saved run of version 1 the names of version 2. Returns anything else unchanged. */
export function upgradeSavedRun(value: unknown): unknown {
  if (!isObject(value) || value['version'] !== 1) return value;
  const run = renamed(value);
  return { ...run, version: 2, result: upgradeResult(run['result']) };
}

function upgradeResult(value: unknown): unknown {
  if (!isObject(value)) return value;
  const result = renamed(value);
  return {
    ...result,
    inputRequest: isObject(result['inputRequest']) ? renamed(result['inputRequest']) : null,
    steps: listOf(result['steps']).map((step) =>
      isObject(step) ? { ...step, actions: listOf(step['actions']).map(upgradeAction) } : step,
    ),
  };
}

const upgradeAction = (action: unknown): unknown => (isObject(action) ? renamed(action) : action);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const renamed = (value: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [newNames.get(name) ?? name, member]));
