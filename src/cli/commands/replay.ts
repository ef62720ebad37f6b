import type { Step } from '../../contract/step.js';
import { renderCall } from '../../conversation/call-text.js';
import { toOfferedTool } from '../../parsing/arguments/offered-tool.js';
import { parseCompletion } from '../../parsing/parse-completion.js';
import type { Trajectory } from '../../sdk/run/trajectory.js';
import { replayRun } from '../../sdk/saved/replay-run.js';
import { showExactLine } from '../screen/visible-text.js';
import type { SessionParts } from '../session/session.js';
import { readSavedRun } from '../state/saved-runs.js';

/**
 * Shows a saved run again, then parses its completions with the current parser. Resolves to the exit code, which is 1
 * if the parser now reads any of them differently.
 */
export async function replay(file: string, { screen, flags }: Pick<SessionParts, 'screen' | 'flags'>) {
  const saved = await readSavedRun(file);
  await screen.prepare({ showsTasks: true });
  const run = replayRun(saved);
  for await (const event of run) screen.show(event);
  screen.printForScript((await run.result()).answer);
  const readings = rereadCompletions(saved);
  const changed = readings.filter(({ then, now }) => then !== now);
  if (flags.json) return changed.length === 0 ? 0 : 1;
  for (const { number, then, now } of changed)
    screen.print(showExactLine(`Completion ${number} was parsed as ${then}, now as ${now}`));
  screen.print(`${readings.length - changed.length} of ${readings.length} completions are parsed as before.`);
  return changed.length === 0 ? 0 : 1;
}

interface Reading {
  /** Number of the response in the run, counted from 1. */
  readonly number: number;
  readonly then: string;
  readonly now: string;
}

/**
 * Parses the completion text of each reply again, and returns the earlier and the current reading. Skips replies that
 * the parser does not read as text calls: native calls and the phases `reason` and `observe`. Also skips replies that
 * the provider constrained by a schema, because the schema is not saved.
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

/**
 * Describes how the service read the reply. After the step limit it reads an action but does not propose it, so the
 * outcome describes the reply.
 */
function describe({ action_details: action }: Step, outcome: string): string {
  return action ? renderCall(action.tool_name, action.tool_args) : outcome;
}
