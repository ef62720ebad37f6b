import type { ContextReport } from '../../contract/context-report.js';
import { renderCall } from '../../conversation/call-text.js';
import type { RunEvent } from '../../sdk/run/run-events.js';
import type { RunResult } from '../../sdk/run/run-result.js';
import { budgetBar, short } from './budget-bar.js';
import { itemLine, leftOut } from './context-page.js';
import { explainFailure } from './explain-failure.js';
import { renderProposal } from './render-proposal.js';
import { showExact, showExactLine, showText, showTextLine } from './shown-text.js';
import type { Paint } from './terminal.js';

export interface RenderOptions {
  readonly paint: Paint;
  /** Lines of an observation to show; the rest is counted. */
  readonly maxLines: number;
  /** In columns. */
  readonly width: number;
  /** Also what was left out of the prompt. */
  readonly verbose: boolean;
  /** False where the answer goes elsewhere: to a script that reads stdout. */
  readonly showAnswer: boolean;
  /** True where nobody is asked: what would need approval is shown instead. */
  readonly showProposals: boolean;
}

type Render<Event> = (event: Event, options: RenderOptions) => readonly string[];
type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

const nothing = (): readonly string[] => [];

/** What a person sees of each event, as lines. Deltas and questions are the screen's own business. */
const renderers: { readonly [Type in RunEvent['type']]: Render<EventOf<Type>> } = {
  agent_start: ({ task }, { paint }) => [
    '',
    `${paint('bold', 'Task')}  ${task ? showText(task) : paint('dim', '(goes on from before)')}`,
  ],
  agent_turn_start: (event, options) => ['', rule(headline(event), options)],
  agent_reason: renderReason,
  thought_delta: nothing,
  answer_delta: nothing,
  approval_requested: ({ request }, options) =>
    options.showProposals ? renderProposal(request, { ...options, maxLines: Number.POSITIVE_INFINITY }) : [],
  tool_start: (event, { paint }) => [
    labelled(paint('cyan', 'Action'), showExact(renderCall(event.tool_name, event.tool_args))),
  ],
  tool_complete: ({ observation }, options) => observed(observation, options),
  tool_error: ({ error, denied }, options) => [
    ...observed(error, { ...options, paint: (_, text) => options.paint(denied ? 'yellow' : 'red', text) }),
  ],
  agent_observe: renderReason,
  tasks_updated: ({ tasks }, { paint }) =>
    tasks.map(({ content, status }, index) =>
      labelled(index === 0 ? paint('blue', 'TODO') : '', `${taskMarks[status]} ${showTextLine(content)}`),
    ),
  agent_request_input: nothing,
  agent_request_input_timeout: (_, { paint }) => [
    labelled(paint('yellow', 'Question'), 'nobody answered in time'),
  ],
  context_compacted: ({ tokens_before, tokens_after }, { paint }) => [
    labelled(paint('blue', 'Compacted'), `history ${short(tokens_before)} → ${short(tokens_after)} tokens`),
  ],
  agent_error: renderError,
  agent_stopped: ({ result }, options) => renderEnd(result, options),
  agent_completion: ({ result }, options) => renderEnd(result, options),
};

export function renderEvent(event: RunEvent, options: RenderOptions): readonly string[] {
  // The table has a renderer for each type, which takes the events of that type.
  return (renderers[event.type] as Render<RunEvent>)(event, options);
}

const taskMarks = { todo: '☐', in_progress: '◐', completed: '☑' } as const;

function headline({ step, phase, iterations_left }: EventOf<'agent_turn_start'>): string {
  const left = iterations_left === 1 ? 'the last' : `${iterations_left} left`;
  return `Step ${step}${phase ? `, ${phase}` : ''} · ${left}`;
}

function rule(title: string, { paint, width }: RenderOptions): string {
  const line = '─'.repeat(Math.max(0, Math.min(width, 80) - title.length - 4));
  return `${paint('dim', '──')} ${paint('bold', showExactLine(title))} ${paint('dim', line)}`;
}

function renderReason(
  { response }: EventOf<'agent_reason' | 'agent_observe'>,
  { paint, verbose }: RenderOptions,
): readonly string[] {
  if (!response) return [];
  const thought = response.thought ?? response.control?.plan ?? response.control?.observation;
  const problem = response.correction && response.parse?.problem;
  return [
    ...(thought ? [labelled(paint('magenta', 'Thought'), showText(thought))] : []),
    ...(problem ? [labelled(paint('yellow', 'Unreadable'), showText(problem))] : []),
    ...(response.context_report ? [renderBudget(response.context_report, paint)] : []),
    ...(verbose && response.context_report ? leftOut(response.context_report).map(itemLine) : []),
  ];
}

const renderBudget = (report: ContextReport, paint: Paint): string =>
  labelled(paint('dim', 'Budget'), budgetBar(report, paint));

/** The first lines, and how many more there are. */
function observed(text: string, { paint, maxLines, width }: RenderOptions): readonly string[] {
  const lines = showText(text).replace(/\n$/, '').split('\n');
  const shown = lines.slice(0, maxLines).map((line) => paint('dim', clip(line, width - labelWidth - 1)));
  const more = lines.length - shown.length;
  const rest = more > 0 ? [paint('dim', `… ${more} more ${more === 1 ? 'line' : 'lines'}`)] : [];
  return [...shown, ...rest].map((line, index) =>
    labelled(index === 0 ? paint('green', 'Observation') : '', line),
  );
}

function renderError(
  { error, retry_in_ms }: EventOf<'agent_error'>,
  { paint }: RenderOptions,
): readonly string[] {
  const again = retry_in_ms === null ? '' : ` Trying again in ${Math.ceil(retry_in_ms / 1000)} s.`;
  return [labelled(paint('red', 'Error'), explainFailure(error) + again)];
}

function renderEnd(
  { answer, stop_reason, steps, usage }: RunResult,
  options: RenderOptions,
): readonly string[] {
  const { paint } = options;
  const counted = usage.input_tokens === null ? [] : [`${short(usage.input_tokens)} tokens in`];
  const written = usage.output_tokens === null ? [] : [`${short(usage.output_tokens)} out`];
  const facts = [
    showExactLine(stop_reason.replace('_', ' ')),
    `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`,
    ...counted,
    ...written,
  ];
  const text = options.showAnswer ? ['', rule('Answer', options), showText(answer)] : [];
  return [...text, '', paint('dim', facts.join(' · '))];
}

const labelWidth = 12;

/** A label in its column and a text beside it, further lines indented. */
function labelled(label: string, text: string): string {
  const visible = label.replace(ansi, '').length;
  const [first = '', ...more] = text.split('\n');
  const head = `${label}${' '.repeat(Math.max(1, labelWidth - visible))}${first}`;
  return [head, ...more.map((line) => ' '.repeat(labelWidth) + line)].join('\n');
}

const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

const clip = (line: string, width: number): string =>
  line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line;
