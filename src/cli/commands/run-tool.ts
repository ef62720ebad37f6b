import type { Tool, ToolArguments } from '../../sdk/actions/define-tool.js';
import { executeTool } from '../../sdk/actions/execute-tool.js';
import { findArgumentProblem } from '../../sdk/actions/find-argument-problem.js';
import { exitCodes } from './exit-codes.js';
import { UsageError } from './read-arguments.js';

const defaultTimeoutMs = 120_000;

/** Runs one tool without a model: what the person typed is what they approve. Resolves to the exit code. */
export async function runTool(
  tools: readonly Tool[],
  { name, args }: { readonly name: string; readonly args: string },
  signal: AbortSignal,
): Promise<number> {
  const tool = tools.find((each) => each.name === name);
  if (!tool)
    throw new UsageError(
      `There is no tool ${name}. There are: ${tools.map((each) => each.name).join(', ')}.`,
    );
  const tool_args = readObject(args);
  const problem = findArgumentProblem(tool_args, tool.inputSchema);
  if (problem) throw new UsageError(problem);
  const action = {
    tool_name: name,
    tool_args,
    raw_action_string: '',
    id: 'call_1',
    requires_approval: false,
  };
  const outcome = await executeTool(tool, action, { signal, timeoutMs: tool.timeoutMs ?? defaultTimeoutMs });
  (outcome.success ? process.stdout : process.stderr).write(`${outcome.text}\n`);
  if (signal.aborted) return exitCodes.stopped;
  return outcome.success ? exitCodes.answered : exitCodes.error;
}

function readObject(json: string): ToolArguments {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new UsageError('The arguments of a tool are a JSON object, such as \'{"path":"README.md"}\'.');
}
