import type { TurnInput } from '../../contract/history.js';
import type { Task } from '../../contract/step-request.js';
import type { Approve } from '../../sdk/actions/approval.js';
import type { InputRequest } from '../../sdk/actions/client-tools.js';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { StepwiseClient } from '../../sdk/client/stepwise-client.js';
import type { Run } from '../../sdk/run/run.js';
import type { RunOptions } from '../../sdk/run/run-options.js';
import type { RunResult } from '../../sdk/run/run-result.js';
import type { Trajectory } from '../../sdk/saved/trajectory.js';
import type { ApprovalRules } from '../approval/approval-rules.js';
import { askApproval, askInput } from '../approval/ask-person.js';
import type { RunFlags } from '../commands/read-arguments.js';
import type { Screen } from '../screen/screen.js';
import { showExact } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';
import type { ModelChoice } from './choose-model.js';
import { readTaggedFiles, taggedPaths } from './read-tagged-files.js';

export interface SessionParts {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly flags: RunFlags;
  readonly tools: readonly Tool[];
  readonly rules: ApprovalRules;
  /** The real path of `--dir`. */
  readonly folder: string;
  readonly url: string;
  /** Of the service at `url`, where it asks for one. */
  readonly token?: string | undefined;
}

const DEFAULT_TOKEN_LIMIT = 32_000;
/** Of the limit, kept for the reply. */
const RESERVE_SHARE = 1 / 8;

/** One sitting at the terminal: runs that follow each other with one history, one model and one set of files. */
export class Session {
  readonly parts: SessionParts;
  model: ModelChoice;
  history: readonly TurnInput[] = [];
  tasks: readonly Task[] = [];
  /** The newest run, for `/steps` and `/save`. */
  last: { readonly run: Run; readonly result: RunResult } | undefined;
  #client: StepwiseClient;
  #files: readonly string[];
  #ids: Pick<RunOptions, 'projectId' | 'sessionId'> = {};
  #running: Run | undefined;

  constructor(parts: SessionParts, model: ModelChoice, key: string | undefined) {
    this.parts = parts;
    this.model = model;
    this.#files = parts.flags.files;
    this.#client = this.#connect(key);
  }

  setModel(model: ModelChoice, key: string | undefined): void {
    this.model = model;
    this.#client = this.#connect(key);
  }

  /** Ends the run that is on its way, if there is one. */
  interrupt(): void {
    this.#running?.stop();
  }

  /** Runs a task to its end and keeps what it brought. */
  async run(task: string): Promise<RunResult> {
    const run = await this.#prepare(task);
    this.#running = run;
    for await (const event of run) this.parts.screen.show(event);
    this.#running = undefined;
    const result = await run.result();
    this.#keep(run, result);
    return result;
  }

  /** Goes on from a saved run. */
  resume({ history, tasks, project_id, session_id }: Trajectory): void {
    this.history = history;
    this.tasks = tasks;
    this.#ids = { projectId: project_id, sessionId: session_id };
  }

  /** Forgets what was said, but not the files and the rules. */
  clear(): void {
    this.history = [];
    this.tasks = [];
    this.#ids = {};
  }

  async #prepare(task: string): Promise<Run> {
    const { flags, tools, rules } = this.parts;
    const tagged = await taggedPaths(flags.dir, task);
    this.#files = [...new Set([...this.#files, ...tagged])];
    const { protocol, strategy, maxSteps } = flags;
    return this.#client.run(task, {
      ...this.#ids,
      ...this.#people(),
      llmConfig: this.#llmConfig(),
      tools,
      context: await readTaggedFiles(flags.dir, { files: this.#files, pins: flags.pins }),
      history: this.history,
      tasks: this.tasks,
      report: flags.json ? 'summary' : 'full',
      compaction: { strategy: 'mask' },
      approvalRules: await rules.load(),
      ...(protocol && { protocol }),
      ...(strategy && { strategy }),
      ...(maxSteps !== undefined && { maxSteps }),
    });
  }

  #keep(run: Run, result: RunResult): void {
    this.last = { run, result };
    this.resume(run.save());
  }

  /** Who answers: everything is allowed with `--yes`; without a person nobody is asked. */
  #people(): Pick<RunOptions, 'approve' | 'onInputRequest'> {
    const { flags, terminal } = this.parts;
    const allowAll: Approve = async () => ({ type: 'allow' });
    if (flags.json || !terminal.isInteractive) return flags.yes ? { approve: allowAll } : {};
    return {
      approve: flags.yes ? allowAll : (request, signal) => this.#approve(request, signal),
      onInputRequest: (request, signal) => this.#ask(request, signal),
    };
  }

  async #approve(...[request, signal]: Parameters<Approve>): ReturnType<Approve> {
    const { terminal, screen, rules } = this.parts;
    screen.hold();
    const decision = await terminal.withoutKeys(() => askApproval(terminal, request, signal));
    if (decision.type === 'always') {
      await rules
        .add(decision.rule)
        .catch((error: Error) => screen.print(showExact(`The rule could not be kept: ${error.message}`)));
    }
    return decision;
  }

  /** Esc at a question stops the run, as it does everywhere. */
  async #ask(request: InputRequest, signal: AbortSignal): Promise<string> {
    const { terminal, screen } = this.parts;
    screen.hold();
    const answer = await terminal.withoutKeys(() => askInput(terminal, request, signal));
    if (answer !== undefined) return answer;
    if (!signal.aborted) this.interrupt();
    throw new Error('There is no answer.');
  }

  #llmConfig(): RunOptions['llmConfig'] {
    const tokenLimit = this.parts.flags.tokenLimit ?? DEFAULT_TOKEN_LIMIT;
    const { name, upstream } = this.model;
    return {
      modelName: name,
      tokenLimit,
      reservedOutputTokens: Math.max(1, Math.floor(tokenLimit * RESERVE_SHARE)),
      ...(upstream && { provider: upstream }),
    };
  }

  #connect(key: string | undefined): StepwiseClient {
    const { url, token } = this.parts;
    return new StepwiseClient({
      baseUrl: url,
      token,
      ...(key && { llmKey: key }),
    });
  }
}
