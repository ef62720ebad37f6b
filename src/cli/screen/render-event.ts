import type { ContextReport } from '../../contract/context-report.js';
import { renderCall } from '../../conversation/call-text.js';
import type { RunEvent } from '../../sdk/run/run-events.js';
import type { RunResult } from '../../sdk/run/run-result.js';
import { emptyRun, type RunView } from '../../sdk/view/run-view.js';
import { type Paint, plain } from '../display/paint.js';
import { budgetBar } from './budget-bar.js';
import { itemLine, leftOutItems } from './context-page.js';
import { compacted, costLine, endText, headline, observed, renderTask } from './event-text.js';
import { explainFailure } from './explain-failure.js';
import { renderProposal } from './render-proposal.js';
import { newWarnings, unreadableProblem } from './service-warnings.js';
import { showExact, showExactLine, showText } from './visible-text.js';

export interface RenderOptions {
  readonly paint: Paint;
  /** Maximum number of lines that are printed of an observation. A note says how many were omitted. */
  readonly maxLines: number;
  /** Width of the terminal in columns. */
  readonly width: number;
  /** True to list the items left out of the prompt. */
  readonly verbose: boolean;
  /** False if the answer goes to a script that reads stdout. */
  readonly showAnswer: boolean;
  /** True if approvals cannot be asked; then proposals are printed instead. */
  readonly showProposals: boolean;
}

type Render<Event> = (event: Event, options: RenderOptions, before: RunView) => readonly string[];
type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

const nothing = (): readonly string[] => [];

/** Functions that render the events of each type. The screen itself shows streamed text and questions. */
const renderers: { readonly [Type in RunEvent['type']]: Render<EventOf<Type>> } = {
  agent_start: ({ task }, { paint }) => [
    '',
    `${paint('bold', 'Task')}  ${task ? showText(task) : paint('dim', '(continued)')}`,
  ],
  agent_turn_start: (event, options) => ['', rule(headline(event), options)],
  agent_reason: renderReason,
  draft_delta: nothing,
  thought_delta: nothing,
  answer_delta: nothing,
  approval_requested: ({ request }, options) =>
    options.showProposals ? renderProposal(request, { ...options, maxLines: Number.POSITIVE_INFINITY }) : [],
  tool_start: (event, { paint }) => [
    labelled(paint('cyan', 'Action'), showExact(renderCall(event.toolName, event.toolArgs))),
  ],
  tool_output: nothing,
  tool_complete: ({ observation }, options) => renderObserved(observation, options),
  tool_error: ({ error, denied }, options) => [
    ...renderObserved(error, {
      ...options,
      paint: (_, text) => options.paint(denied ? 'yellow' : 'red', text),
    }),
  ],
  agent_observe: renderReason,
  tasks_updated: ({ tasks }, { paint }) =>
    tasks.map((task, index) => labelled(index === 0 ? paint('blue', 'TODO') : '', renderTask(task, plain))),
  agent_request_input: nothing,
  agent_request_input_timeout: (_, { paint }) => [
    labelled(paint('yellow', 'Question'), 'no answer arrived in time'),
  ],
  context_compacted: (event, { paint }) => [labelled(paint('blue', 'Compacted'), compacted(event))],
  agent_error: renderError,
  agent_stopped: ({ result }, options) => renderEnd(result, options),
  agent_completion: ({ result }, options) => renderEnd(result, options),
};

/** Renders an event. `before` is the run before it: warnings that the person has seen are not repeated. */
export function renderEvent(
  event: RunEvent,
  options: RenderOptions,
  before: RunView = emptyRun(),
): readonly string[] {
  // Cast: each entry of the table accepts the events of its type.
  return (renderers[event.type] as Render<RunEvent>)(event, options, before);
}

function rule(title: string, { paint, width }: RenderOptions): string {
  const line = '─'.repeat(Math.max(0, Math.min(width, 80) - title.length - 4));
  return `${paint('dim', '──')} ${paint('bold', showExactLine(title))} ${paint('dim', line)}`;
}

function renderReason(
  { response }: EventOf<'agent_reason' | 'agent_observe'>,
  { paint, verbose }: RenderOptions,
  before: RunView,
): readonly string[] {
  if (!response) return [];
  const thought = response.thought ?? response.control?.plan ?? response.control?.observation;
  const problem = unreadableProblem(response);
  return [
    ...(thought ? [labelled(paint('magenta', 'Thought'), showText(thought))] : []),
    ...(problem ? [labelled(paint('yellow', 'Unreadable'), showText(problem))] : []),
    ...newWarnings(response, before).map((warning) =>
      labelled(paint('yellow', 'Warning'), showText(warning)),
    ),
    ...(response.context_report ? [renderBudget(response.context_report, paint)] : []),
    ...(verbose && response.context_report ? leftOutItems(response.context_report).map(itemLine) : []),
  ];
}

const renderBudget = (report: ContextReport, paint: Paint): string =>
  labelled(paint('dim', 'Budget'), budgetBar(report, paint));

function renderObserved(text: string, { paint, maxLines, width }: RenderOptions): readonly string[] {
  const rows = observed(text, { maxLines, width: width - labelWidth - 1 });
  return rows.map((row, index) =>
    labelled(index === 0 ? paint('green', 'Observation') : '', paint('dim', row)),
  );
}

function renderError(
  { error, retryInMs }: EventOf<'agent_error'>,
  { paint }: RenderOptions,
): readonly string[] {
  const again = retryInMs === null ? '' : ` Retrying in ${Math.ceil(retryInMs / 1000)} s.`;
  return [labelled(paint('red', 'Error'), explainFailure(error) + again)];
}

function renderEnd(result: RunResult, options: RenderOptions): readonly string[] {
  const answer = endText(result);
  const text = options.showAnswer && answer ? ['', rule('Answer', options), showText(answer)] : [];
  return [...text, '', options.paint('dim', costLine(result))];
}

const labelWidth = 12;

/** Renders a label and, on the same line, a text. Further lines of the text are indented. */
function labelled(label: string, text: string): string {
  const visible = label.replace(ansi, '').length;
  const [first = '', ...more] = text.split('\n');
  const head = `${label}${' '.repeat(Math.max(1, labelWidth - visible))}${first}`;
  return [head, ...more.map((line) => ' '.repeat(labelWidth) + line)].join('\n');
}

const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
