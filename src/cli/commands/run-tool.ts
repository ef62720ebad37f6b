import type { ActionDetails } from '../../contract/step.js';
import { parseObject } from '../../conversation/is-object.js';
import type { Tool, ToolArguments } from '../../sdk/actions/define-tool.js';
import { executeTool, failureOf } from '../../sdk/actions/execute-tool.js';
import { findArgumentProblem } from '../../sdk/actions/find-argument-problem.js';
import { openMcp } from '../mcp/open-mcp.js';
import { renderProposal } from '../screen/render-proposal.js';
import type { Terminal } from '../screen/terminal.js';
import { showText } from '../screen/visible-text.js';
import { onStop } from '../session/on-stop.js';
import { folderAt, openTools } from '../session/open-tools.js';
import type { Invocation, RunFlags } from './read-arguments.js';
import { exitCodes, UsageError } from './usage.js';

const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Runs one tool without a model. At a terminal, typing the command is the approval; a script needs `--yes` for a tool
 * that needs approval, or else the call is only shown. Resolves to the exit code.
 */
export async function runTool(
  { name, args, options }: Extract<Invocation, { command: 'tool' }>,
  terminal: Terminal,
): Promise<number> {
  const offered = await openAllTools({ options, terminal, name });
  try {
    return await runFound(findTool(offered.tools, name), { args, options, terminal });
  } finally {
    await offered.close();
  }
}

interface TypedCall {
  readonly args: string;
  readonly options: RunFlags;
  readonly terminal: Terminal;
}

async function runFound(tool: Tool, { args, options, terminal }: TypedCall): Promise<number> {
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

interface ToolQuery {
  readonly options: RunFlags;
  readonly terminal: Terminal;
  readonly name: string | undefined;
}

/**
 * Returns the tools of the folder. If none of them is called `name`, also starts the MCP servers and adds their tools.
 * `close` stops the servers.
 */
async function openAllTools({ options, terminal, name }: ToolQuery) {
  const own = await openTools(options);
  if (own.some((tool) => tool.name === name)) return { tools: own, close: async () => undefined };
  const { display, progress } = terminal;
  const print = (text: string) => (progress.isTTY ? display.print(text) : progress.write(`${text}\n`));
  const folder = await folderAt(options.dir);
  const mcp = await openMcp({ flags: options, terminal, folder, print, hold: () => undefined });
  return { tools: [...own, ...((await mcp?.tools()) ?? [])], close: async () => mcp?.close() };
}

interface Execution {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function execute(tool: Tool, action: ActionDetails, { signal }: Execution): Promise<number> {
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const outcome = await executeTool(tool, action, { signal, timeoutMs });
  (outcome.success ? process.stdout : process.stderr).write(`${showText(outcome.text)}\n`);
  if (signal.aborted) return exitCodes.stopped;
  return outcome.success ? exitCodes.answered : exitCodes.error;
}

function findTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool) return tool;
  const names = tools.map((each) => each.name).join(', ');
  throw new UsageError(`There is no tool ${name}. Available tools: ${names}.`);
}

/** Prints the description and arguments of one tool, or of all tools. Resolves to the exit code. */
export async function describeTools(
  { name, help, options }: Extract<Invocation, { command: 'tool-help' }>,
  terminal: Terminal,
): Promise<number> {
  const { tools, close } = await openAllTools({ options, terminal, name });
  await close();
  const shown = name === undefined ? tools : [findTool(tools, name)];
  const texts = shown.map((tool) => showText(renderTool(tool, { isAlone: name !== undefined })));
  process.stdout.write(`${[help.trimEnd(), ...texts].join('\n\n')}\n`);
  return exitCodes.answered;
}

/**
 * Renders the signature, with a question mark after optional arguments, and the description. A tool that is shown
 * alone also gets the descriptions of its arguments.
 */
function renderTool(
  { name, description, inputSchema, annotations }: Tool,
  { isAlone }: { isAlone: boolean },
) {
  const { properties = {}, required = [] } = inputSchema as ArgumentsSchema;
  const signature = Object.entries(properties).map(([key, { type }]) => {
    const isNeeded = required.includes(key);
    return `${key}${isNeeded ? '' : '?'}: ${[type].flat().join('|')}`;
  });
  const approval = annotations?.requiresApproval ? ' Needs approval.' : '';
  const meanings = Object.entries(properties).flatMap(([key, { description: meaning }]) =>
    isAlone && meaning ? [`    ${key}: ${meaning}`] : [],
  );
  return [`${name}(${signature.join(', ')})`, `  ${description}${approval}`, ...meanings].join('\n');
}

/** Fields of a tool's JSON Schema that are printed. Tools of a `--tools` module may omit each of them. */
interface ArgumentsSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown; readonly description?: string }>>;
  readonly required?: readonly string[];
}

function readArgumentsOf(tool: Tool, json: string): ToolArguments {
  const args = readObject(json);
  const problem = findArgumentProblem(args, tool.inputSchema);
  if (problem) throw new UsageError(problem);
  return args;
}

/** Prints the call without running it. A call that would fail prints its error instead. */
async function refuse(tool: Tool, action: ActionDetails, { terminal, signal }: Execution): Promise<number> {
  const context = { signal, callId: action.id, earlierCallIds: [] };
  const { paint, width, progress } = terminal;
  let preview: string | null;
  try {
    preview = (await tool.preview?.(action.tool_args, context)) ?? null;
  } catch (error) {
    progress.write(`${showText(failureOf(error).text)}\n`);
    return exitCodes.error;
  }
  const maxLines = Number.POSITIVE_INFINITY;
  const proposal = renderProposal({ action, preview }, { paint, width, maxLines });
  progress.write(
    `${proposal.join('\n')}\nNot run: it needs approval, and no terminal is attached. Use --yes to approve in scripts.\n`,
  );
  return exitCodes.denied;
}

function readObject(json: string): ToolArguments {
  const value = parseObject(json);
  if (value) return value;
  throw new UsageError('The arguments of a tool are a JSON object, such as \'{"path":"README.md"}\'.');
}
