import type { ContextReport } from '../../../contract/context-report.js';
import type { Step } from '../../../contract/step.js';
import type { Task } from '../../../contract/step-request.js';
import type { RunEvent } from '../../../sdk/run/run-events.js';
import type { RunResult } from '../../../sdk/run/run-result.js';
import type { Display } from '../../display/display.js';
import { wrap } from '../../display/wrap.js';
import { budgetBar } from '../budget-bar.js';
import { itemLine, leftOut } from '../context-page.js';
import { compacted, costLine, headline, observed, renderTask } from '../event-words.js';
import { explainFailure } from '../explain-failure.js';
import { renderProposal } from '../render-proposal.js';
import { showText } from '../shown-text.js';
import { LiveReply, type StartText, wordsOf } from './live-reply.js';
import { callLine, isOwn, RunningTools, wordsFor } from './running-tools.js';
import { elapsed, Spinner } from './spinner.js';

type Handler<Type extends RunEvent['type']> = (event: Extract<RunEvent, { type: Type }>) => void;

export interface LiveOptions {
  readonly verbose: boolean;
  /** False where the answer goes to stdout and progress elsewhere. */
  readonly showAnswer: boolean;
  /** False where the person has just typed it. */
  readonly showsTasks: boolean;
  /** True where nobody is asked: what would need approval is shown instead. */
  readonly showProposals: boolean;
}

/** Rows of an observation that stay; of a command's output the last ones count. */
const MAX_ROWS = 8;

/** A run on a terminal that can be drawn over: what is done scrolls away, what is going on stands below. */
export class LiveRun {
  readonly #display: Display;
  readonly #options: LiveOptions;
  readonly #reply: LiveReply;
  readonly #tools: RunningTools;
  readonly spinner: Spinner;
  #tasks: readonly Task[] = [];
  #answer = '';
  #began = Date.now();
  #maxSteps = 0;
  #report: ContextReport | null = null;

  constructor(display: Display, options: LiveOptions, startText: StartText) {
    this.#display = display;
    this.#options = options;
    this.#reply = new LiveReply(display, startText);
    this.#tools = new RunningTools(display);
    this.spinner = new Spinner(display);
  }

  show(event: RunEvent): void {
    // The table has a handler for each type, which takes the events of that type.
    const handle = this.#handlers[event.type] as Handler<RunEvent['type']>;
    handle(event);
  }

  readonly #handlers: { readonly [Type in RunEvent['type']]: Handler<Type> } = {
    agent_start: ({ task, max_steps }) => {
      this.#began = Date.now();
      this.#maxSteps = max_steps;
      this.#answer = '';
      if (this.#options.showsTasks && task) this.#print('', `${this.#paint('cyan', '›')} ${showText(task)}`);
    },
    agent_turn_start: (event) => {
      if (event.phase || this.#options.verbose) this.#print('', this.#paint('dim', headline(event)));
      this.#note(`step ${event.step}/${this.#maxSteps}`);
      this.spinner.start('Thinking');
    },
    draft_delta: ({ delta }) => this.#hear('draft', delta),
    thought_delta: ({ delta }) => this.#hear('thought', delta),
    answer_delta: ({ delta }) => this.#hear('answer', delta),
    agent_reason: ({ response }) => this.#said(response),
    approval_requested: ({ request }) => {
      this.spinner.stop();
      const view = {
        paint: this.#display.paint,
        width: this.#display.width,
        maxLines: Number.POSITIVE_INFINITY,
      };
      if (this.#options.showProposals) this.#print('', ...renderProposal(request, view));
    },
    tool_start: (event) => {
      if (isOwn(event)) return;
      this.#tools.start(event);
      this.spinner.start(wordsFor(event));
    },
    tool_output: (event) => this.#tools.tell(event, event.delta),
    tool_complete: (event) => this.#done(event, event.observation),
    tool_error: (event) => this.#done(event, event.error),
    agent_observe: ({ response }) => {
      if (response) this.#said(response);
    },
    tasks_updated: ({ tasks }) => this.#keepTasks(tasks),
    agent_request_input: () => this.spinner.stop(),
    agent_request_input_timeout: () => this.#print(this.#paint('yellow', 'Nobody answered in time.')),
    context_compacted: (event) => this.#print('', this.#paint('dim', compacted(event))),
    agent_error: ({ error, retry_in_ms }) => {
      this.#reply.drop();
      const again = retry_in_ms === null ? '' : ` Trying again in ${Math.ceil(retry_in_ms / 1000)} s.`;
      this.#print('', ...this.#wrapped(this.#paint('red', explainFailure(error)) + again));
      if (again) this.spinner.start('Waiting to try again');
    },
    agent_stopped: ({ result }) => this.#end(result),
    agent_completion: ({ result }) => this.#end(result),
  };

  #hear(part: 'draft' | 'thought' | 'answer', delta: string): void {
    if (!this.#options.showAnswer && part === 'answer') return;
    this.#reply.add(part, delta);
    if (part === 'answer') this.spinner.rename('Writing');
  }

  /** The status line stays: it goes away when the run ends or the person is asked, and has another name before. */
  #said(response: Step): void {
    const { thought, answer } = wordsOf(response);
    this.#reply.end({ thought, answer: this.#options.showAnswer ? answer : '' });
    if (answer) this.#answer = answer;
    const problem = response.correction && response.parse?.problem;
    if (problem)
      this.#print(...this.#wrapped(`${this.#paint('yellow', 'Unreadable:')} ${showText(problem)}`));
    this.#report = response.context_report ?? this.#report;
    if (this.#options.verbose && this.#report) this.#print(...leftOut(this.#report).map(itemLine));
  }

  #done(event: Extract<RunEvent, { type: 'tool_complete' | 'tool_error' }>, text: string): void {
    this.#tools.end(event);
    const failed = event.type === 'tool_error';
    if (isOwn(event) && !failed) return;
    const colour = !failed ? 'green' : event.denied ? 'yellow' : 'red';
    const { paint, width } = this.#display;
    const view = { paint, width: this.#options.verbose ? Number.POSITIVE_INFINITY : width };
    const isCommand = event.tool_name === 'run_command';
    const maxLines = this.#options.verbose ? Number.POSITIVE_INFINITY : MAX_ROWS;
    const rows = observed(text, { maxLines, width: width - RESULT.length, keepsEnd: isCommand });
    this.#print('', `${paint(colour, '●')} ${callLine(event, view)}`);
    this.#print(...rows.map((row, index) => paint('dim', (index === 0 ? RESULT : NEXT_ROW) + row)));
  }

  /** The list stands below while the run is on its way, and scrolls away once, with its end. */
  #keepTasks(tasks: readonly Task[]): void {
    this.#tasks = tasks;
    this.#display.show('tasks', tasks.length === 0 ? [] : ['', ...this.#taskRows()]);
  }

  #taskRows(): readonly string[] {
    return this.#tasks.map((task) => renderTask(task, this.#display.paint));
  }

  #end(result: RunResult): void {
    this.spinner.stop();
    this.#tools.clear();
    this.#reply.drop();
    this.#display.show('tasks', []);
    if (this.#tasks.length > 0) this.#print('', ...this.#taskRows().flatMap(this.#wrapped));
    this.#tasks = [];
    const { answer } = result;
    if (this.#options.showAnswer && answer.trim() !== this.#answer.trim()) this.#reply.show('answer', answer);
    const took = Date.now() - this.#began;
    const bar = this.#report ? [budgetBar(this.#report, this.#display.paint)] : [];
    const cost = this.#paint('dim', costLine(result, took >= 1000 ? elapsed(took) : ''));
    this.#print('', ...bar, ...this.#wrapped(cost), ...(this.#options.showsTasks ? [] : ['']));
  }

  #note(step: string): void {
    this.spinner.note = this.#report ? `${step} • ${budgetBar(this.#report, this.#display.paint)}` : step;
  }

  #print(...rows: readonly string[]): void {
    if (rows.length > 0) this.#display.print(rows.join('\n'));
  }

  readonly #wrapped = (text: string): readonly string[] => wrap(text, this.#display.width);

  readonly #paint: Display['paint'] = (style, text) => this.#display.paint(style, text);
}

const RESULT = '  ⎿ ';
const NEXT_ROW = '    ';
