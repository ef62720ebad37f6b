import type { Step } from '../../contract/step.js';
import { renderCall } from '../../conversation/call-text.js';
import { toOfferedTool } from '../../parsing/arguments/offered-tool.js';
import { parseCompletion } from '../../parsing/parse-completion.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import { replayRun } from '../../sdk/saved/replay-run.js';
import { showExactLine } from '../screen/shown-text.js';
import type { SessionParts } from '../session/session.js';
import { readSavedRun } from '../state/saved-runs.js';

/** Shows a saved run as it was, then reads its completions with the parser of today. Resolves to the exit code. */
export async function replay(file: string, { screen, flags }: Pick<SessionParts, 'screen' | 'flags'>) {
  const saved = await readSavedRun(file);
  await screen.prepare({ showsTasks: true });
  const run = replayRun(saved);
  for await (const event of run) screen.show(event);
  screen.tellScript((await run.result()).answer);
  const readings = rereadCompletions(saved);
  const changed = readings.filter(({ then, now }) => then !== now);
  if (flags.json) return changed.length === 0 ? 0 : 1;
  for (const { number, then, now } of changed)
    screen.print(showExactLine(`Completion ${number} was read as ${then}, now as ${now}`));
  screen.print(
    `${readings.length - changed.length} of ${readings.length} completions are read as they were.`,
  );
  return changed.length === 0 ? 0 : 1;
}

interface Reading {
  /** From 1, among the responses of the run. */
  readonly number: number;
  readonly then: string;
  readonly now: string;
}

/**
 * How each written completion was read then, and how it is read now. Native calls and phases have no text grammar, and what
 * was held to a schema says what it means only to who knows the schema.
 */
function rereadCompletions({ responses, tools }: Trajectory): readonly Reading[] {
  const offered = tools.map(toOfferedTool);
  return responses.flatMap((response, index) => {
    const { completion_text: text, parse, phase } = response;
    const hasGrammar = parse && parse.dialect !== 'native' && parse.confidence !== 'constrained';
    if (text === null || !hasGrammar || phase === 'reason' || phase === 'observe') return [];
    const finishReason = response.finish_reason;
    const now = parseCompletion(text, offered, finishReason ? { finishReason } : {});
    const then = describe(response, parse.outcome);
    const { outcome, action } = now;
    return [
      { number: index + 1, then, now: action ? renderCall(action.toolName, action.toolArgs) : outcome },
    ];
  });
}

/** After the limit an action is read, but not proposed: then as now it is the outcome that counts. */
function describe({ action_details: action }: Step, outcome: string): string {
  return action ? renderCall(action.tool_name, action.tool_args) : outcome;
}
