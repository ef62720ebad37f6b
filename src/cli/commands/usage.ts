import type { RunResult } from '../../sdk/run/run-result.js';

/** The command line cannot be understood, or names what is not there; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What the shell is told (rule: exit-codes). */
export const exitCodes = {
  answered: 0,
  error: 1,
  step_limit: 2,
  denied: 3,
  needs_input: 4,
  stopped: 130,
} as const satisfies Record<RunResult['stop_reason'], number>;

export const usage = `Usage: stepwise [options] ["task"]          without a task: interactive
       stepwise tool [NAME [JSON]] [--dir .]  run one tool, no model; alone: which there are, and what they take
       stepwise serve [--help]                start the service
       stepwise acp                           an agent for editors, on standard input and output (ACP)
       stepwise doctor                        what is there and what answers; prints no secret
       stepwise completion bash|zsh|fish      a completion script for the shell
       stepwise token NAME [--project ID]… [--expires DATE] [--file FILE]
                                              make a token for callers of a service
       stepwise replay FILE [--json]          play a saved run again and re-read its completions
       stepwise view FILE [--no-open]         walk through a saved run in the browser, until Ctrl-C

  --dir PATH          the folder the tools may touch (.)
  --model NAME        the model; without it: offline, an extractive searcher that needs no key
  --upstream NAME     a configured endpoint, or ollama
  --protocol P        text, xml, json, native or auto: how the model is taught to act
  --strategy S        react or reason-act-observe
  --max-steps N       model calls, or rounds of the strict strategy (10)
  --token-limit N     prompt and reply together (32000)
  --file PATH         put a file or folder into the context; so does @PATH in the task; PATH:10-40 takes lines
  --pin ID            put .stepwise/pinned/ID.md into the context
  --tools MODULE      a module that exports tools (defineTool) as "tools"
  --mcp FILE          MCP servers, beside those of .mcp.json in the folder; each is asked about before it is started
  --allow-mcp         start them and offer their tools unasked; calls still need approval
  --max-lines N       lines that read_file shows at a time (500)
  --max-files N       files that list_files shows (200)
  --max-matches N     matches that a search shows (50)
  --command-timeout S seconds that a command may take (60)
  --yes               allow everything without asking
  --json              one event a line
  --verbose           whole observations, and what was left out of the prompt
  --save FILE         save the run in a file too; it is kept among your own files as it goes
  -c, --continue      go on from the newest run in this folder
  -r, --resume RUN    go on from a saved run: its file, or its id or number in this folder; alone, it asks which
  --server URL        a running service, instead of one inside this process
  --token T           the token that service asks for; better in STEPWISE_TOKEN, which other programs do not see
  --project ID        of stepwise token: a project that it allows; may be repeated (all projects)
  --expires DATE      of stepwise token: 2027-01-31, 2027-01-31T12:00:00Z or 90d (never)
  --no-open           of stepwise view: print the address only
  --help, --version

The model key comes from STEPWISE_LLM_KEY, else from the vendor's usual variable, else it is asked for.
Exit code: 0 answered, 1 error, 2 step limit, 3 ended after a denial, 4 needs input, 130 interrupted.
`;
