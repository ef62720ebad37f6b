import type { ActionDetails } from '../../contract/step.js';
import type { Tool, ToolArguments } from '../../sdk/actions/define-tool.js';
import { executeTool } from '../../sdk/actions/execute-tool.js';
import { findArgumentProblem } from '../../sdk/actions/find-argument-problem.js';
import { renderProposal } from '../screen/render-proposal.js';
import { showText } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';
import { onStop } from '../session/on-stop.js';
import { openTools } from '../session/open-tools.js';
import type { Invocation } from './read-arguments.js';
import { exitCodes, UsageError } from './usage.js';

const TOOL_USAGE = 'stepwise tool NAME [JSON] [--dir .]';
const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Runs one tool without a model. At a terminal, what the person typed is what they approve; a script has to say
 * `--yes` for what needs approval, else it is shown and not run. Resolves to the exit code.
 */
export async function runTool(
  { name, args, options }: Extract<Invocation, { command: 'tool' }>,
  terminal: Terminal,
): Promise<number> {
  const tool = findTool(await openTools(options), name);
  const action = {
    tool_name: tool.name,
    tool_args: readArgumentsOf(tool, args),
    raw_action_string: '',
    id: 'call_1',
    requires_approval: tool.annotations?.requiresApproval === true,
  };
  const isAllowed = !action.requires_approval || options.yes || terminal.isInteractive;
  const controller = new AbortController();
  const stops = onStop(() => controller.abort());
  try {
    return await (isAllowed ? execute : refuse)(tool, action, { terminal, signal: controller.signal });
  } finally {
    stops.end();
  }
}

interface Surroundings {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function execute(tool: Tool, action: ActionDetails, { signal }: Surroundings): Promise<number> {
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const outcome = await executeTool(tool, action, { signal, timeoutMs });
  (outcome.success ? process.stdout : process.stderr).write(`${showText(outcome.text)}\n`);
  if (signal.aborted) return exitCodes.stopped;
  return outcome.success ? exitCodes.answered : exitCodes.error;
}

function findTool(tools: readonly Tool[], name: string | undefined): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool) return tool;
  const names = tools.map((each) => each.name).join(', ');
  const mistake = name === undefined ? `Which tool? Usage: ${TOOL_USAGE}.` : `There is no tool ${name}.`;
  throw new UsageError(`${mistake} There are: ${names}.`);
}

function readArgumentsOf(tool: Tool, json: string): ToolArguments {
  const args = readObject(json);
  const problem = findArgumentProblem(args, tool.inputSchema);
  if (problem) throw new UsageError(problem);
  return args;
}

/** Shows what would have been done. */
async function refuse(
  tool: Tool,
  action: ActionDetails,
  { terminal, signal }: Surroundings,
): Promise<number> {
  const context = { signal, callId: action.id, earlierCallIds: [] };
  const preview = (await tool.preview?.(action.tool_args, context)) ?? null;
  const { paint, width, progress } = terminal;
  const maxLines = Number.POSITIVE_INFINITY;
  const proposal = renderProposal({ action, preview }, { paint, width, maxLines });
  progress.write(`${proposal.join('\n')}\nNot run: nobody is there to approve it. Allow it with --yes.\n`);
  return exitCodes.denied;
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
