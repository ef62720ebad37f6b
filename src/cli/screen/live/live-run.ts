import type { Step } from '../../../contract/step.js';
import type { Task } from '../../../contract/step-request.js';
import type { RunEvent } from '../../../sdk/run/run-events.js';
import type { RunResult } from '../../../sdk/run/run-result.js';
import type { RunView } from '../../../sdk/view/run-view.js';
import type { Display } from '../../display/display.js';
import { wrap } from '../../display/wrap.js';
import { budgetBar } from '../budget-bar.js';
import { itemLine, leftOutItems } from '../context-page.js';
import { compacted, costLine, endText, headline, observed, renderTask } from '../event-text.js';
import { explainFailure } from '../explain-failure.js';
import { renderProposal } from '../render-proposal.js';
import { newWarnings, unreadableProblem } from '../service-warnings.js';
import { showText } from '../visible-text.js';
import { LiveReply, lastAnswer, replyTexts, type StartText, streamedTexts } from './live-reply.js';
import { activityOf, callLine, isRunTool, RunningTools, runningIn } from './running-tools.js';
import { elapsed, Spinner } from './spinner.js';

interface Change {
  readonly before: RunView;
  readonly after: RunView;
}

type Handler<Type extends RunEvent['type']> = (
  event: Extract<RunEvent, { type: Type }>,
  change: Change,
) => void;

export interface LiveOptions {
  readonly verbose: boolean;
  /** False if the answer goes to stdout and progress elsewhere. */
  readonly showAnswer: boolean;
  /** False if the person has just typed the task. */
  readonly showsTasks: boolean;
  /** True if approvals cannot be asked; then proposals are printed instead. */
  readonly showProposals: boolean;
}

/** Maximum number of rows that are printed of an observation. */
const MAX_ROWS = 8;

/** Shows a run on a terminal that can be redrawn: finished output scrolls away, running work stays below. */
export class LiveRun {
  readonly #display: Display;
  readonly #options: LiveOptions;
  readonly #reply: LiveReply;
  readonly #tools: RunningTools;
  readonly spinner: Spinner;
  #began = Date.now();

  constructor(display: Display, options: LiveOptions, startText: StartText) {
    this.#display = display;
    this.#options = options;
    this.#reply = new LiveReply(display, startText);
    this.#tools = new RunningTools(display);
    this.spinner = new Spinner(display);
  }

  show(event: RunEvent, change: Change): void {
    // Cast: each entry of the table accepts the events of its type.
    const handle = this.#handlers[event.type] as Handler<RunEvent['type']>;
    handle(event, change);
  }

  readonly #handlers: { readonly [Type in RunEvent['type']]: Handler<Type> } = {
    agent_start: ({ task }) => {
      this.#began = Date.now();
      if (this.#options.showsTasks && task) this.#print('', `${this.#paint('cyan', '›')} ${showText(task)}`);
    },
    agent_turn_start: (event, { after }) => {
      if (event.phase || this.#options.verbose) this.#print('', this.#paint('dim', headline(event)));
      this.#note(`step ${event.step}/${after.maxSteps}`, after);
      this.spinner.start('Thinking');
    },
    draft_delta: ({ delta }, { after }) => this.#streamDelta('draft', delta, after),
    thought_delta: ({ delta }, { after }) => this.#streamDelta('thought', delta, after),
    answer_delta: ({ delta }, { after }) => this.#streamDelta('answer', delta, after),
    agent_reason: ({ response }, change) => this.#showResponse(response, change),
    approval_requested: ({ request }) => {
      this.spinner.stop();
      const view = {
        paint: this.#display.paint,
        width: this.#display.width,
        maxLines: Number.POSITIVE_INFINITY,
      };
      if (this.#options.showProposals) this.#print('', ...renderProposal(request, view));
    },
    tool_start: (event, { after }) => {
      if (isRunTool(event)) return;
      this.#tools.show(runningIn(after));
      this.spinner.start(activityOf(event));
    },
    tool_output: (_, { after }) => this.#tools.showSoon(runningIn(after)),
    tool_complete: (event, { after }) => this.#showResult(event, event.observation, after),
    tool_error: (event, { after }) => this.#showResult(event, event.error, after),
    agent_observe: ({ response }, change) => {
      if (response) this.#showResponse(response, change);
    },
    tasks_updated: (_, { after }) => this.#showTasks(after.tasks),
    agent_request_input: () => this.spinner.stop(),
    agent_request_input_timeout: () => this.#print(this.#paint('yellow', 'No answer arrived in time.')),
    context_compacted: (event) => this.#print('', this.#paint('dim', compacted(event))),
    agent_error: ({ error, retryInMs }) => {
      if (retryInMs === null) this.#reply.keep();
      else this.#reply.drop();
      const again = retryInMs === null ? '' : ` Retrying in ${Math.ceil(retryInMs / 1000)} s.`;
      this.#print('', ...this.#wrapped(this.#paint('red', explainFailure(error)) + again));
      if (again) this.spinner.start('Waiting to retry');
    },
    agent_stopped: ({ result }, change) => this.#end(result, change),
    agent_completion: ({ result }, change) => this.#end(result, change),
  };

  #streamDelta(part: 'draft' | 'thought' | 'answer', delta: string, run: RunView): void {
    if (!this.#options.showAnswer && part === 'answer') return;
    if (streamedTexts(run)[part] === '') return;
    this.#reply.add(part, delta);
    if (part === 'answer') this.spinner.rename('Writing');
  }

  /** Shows a response. The status line stays until the run ends or the person is asked, so that it does not flicker. */
  #showResponse(response: Step, { before, after }: Change): void {
    const [texts, streamed] = [replyTexts(response), streamedTexts(before)];
    if (this.#options.showAnswer) this.#reply.end(texts, streamed);
    else this.#reply.end({ ...texts, answer: '' }, { ...streamed, answer: '' });
    const problem = unreadableProblem(response);
    if (problem)
      this.#print(...this.#wrapped(`${this.#paint('yellow', 'Unreadable:')} ${showText(problem)}`));
    for (const warning of newWarnings(response, before))
      this.#print(...this.#wrapped(`${this.#paint('yellow', 'Warning:')} ${showText(warning)}`));
    if (this.#options.verbose && after.report) this.#print(...leftOutItems(after.report).map(itemLine));
  }

  #showResult(
    event: Extract<RunEvent, { type: 'tool_complete' | 'tool_error' }>,
    text: string,
    run: RunView,
  ): void {
    this.#tools.show(runningIn(run));
    const failed = event.type === 'tool_error';
    if (isRunTool(event) && !failed) return;
    const colour = !failed ? 'green' : event.denied ? 'yellow' : 'red';
    const { paint, width } = this.#display;
    const view = { paint, width: this.#options.verbose ? Number.POSITIVE_INFINITY : width };
    const isCommand = event.toolName === 'run_command';
    const maxLines = this.#options.verbose ? Number.POSITIVE_INFINITY : MAX_ROWS;
    const rows = observed(text, { maxLines, width: width - RESULT.length, keepsEnd: isCommand });
    this.#print('', `${paint(colour, '●')} ${callLine(event, view)}`);
    this.#print(...rows.map((row, index) => paint('dim', (index === 0 ? RESULT : NEXT_ROW) + row)));
  }

  /** Shows the TODO list below the run; it scrolls away when the run ends. */
  #showTasks(tasks: readonly Task[]): void {
    this.#display.show('tasks', tasks.length === 0 ? [] : ['', ...this.#taskRows(tasks)]);
  }

  #taskRows(tasks: readonly Task[]): readonly string[] {
    return tasks.map((task) => renderTask(task, this.#display.paint));
  }

  #end(result: RunResult, { before: { tasks }, after }: Change): void {
    this.spinner.stop();
    this.#tools.show(runningIn(after));
    this.#reply.keep();
    this.#display.show('tasks', []);
    if (tasks.length > 0) this.#print('', ...this.#taskRows(tasks).flatMap(this.#wrapped));
    const answer = endText(result);
    const isShown = answer === '' || answer.trim() === lastAnswer(after).trim();
    if (this.#options.showAnswer && !isShown) this.#reply.show('answer', answer);
    const took = Date.now() - this.#began;
    const bar = after.report ? [budgetBar(after.report, this.#display.paint)] : [];
    const cost = this.#paint('dim', costLine(result, took >= 1000 ? elapsed(took) : ''));
    this.#print('', ...bar, ...this.#wrapped(cost), ...(this.#options.showsTasks ? [] : ['']));
  }

  #note(step: string, { report }: RunView): void {
    this.spinner.note = report ? `${step} • ${budgetBar(report, this.#display.paint)}` : step;
  }

  #print(...rows: readonly string[]): void {
    if (rows.length > 0) this.#display.print(rows.join('\n'));
  }

  readonly #wrapped = (text: string): readonly string[] => wrap(text, this.#display.width);

  readonly #paint: Display['paint'] = (style, text) => this.#display.paint(style, text);
}

const RESULT = '  ⎿ ';
const NEXT_ROW = '    ';
