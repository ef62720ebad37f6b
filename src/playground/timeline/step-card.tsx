import type { ModelCallView, StepView } from '../../sdk/index.js';
import { StepActions } from '../branches/step-actions.js';
import { Icon } from '../controls/icon.js';
import type { Branch } from '../run/branch.js';
import { failureInWords } from '../run/failure-in-words.js';
import { duration, tokens } from '../text/figures.js';
import { Markdown } from '../text/markdown.js';
import { type PhaseState, stepPhases } from './step-phases.js';
import { stepRemarks } from './step-remarks.js';
import { ToolLine } from './tool-line.js';

export interface StepCardProps {
  readonly branch: Branch;
  readonly step: StepView;
  readonly isSelected: boolean;
  /** `passed` means that the arrow keys moved over the step. */
  readonly onSelect: (step: number, how: 'chosen' | 'passed') => void;
}

/** One step: the thought, the tool calls with their results, and the cost. */
export function StepCard({ branch, step, isSelected, onSelect }: StepCardProps) {
  const { number, calls, actions } = step;
  const observed = calls.find(({ phase }) => phase === 'observe');
  const before = calls.filter((call) => call !== observed);
  return (
    <li class={`step${isSelected ? ' selected' : ''}`}>
      <article aria-labelledby={`step-${number}`}>
        <header class="step-head">
          <button
            type="button"
            class="step-name"
            id={`step-${number}`}
            data-step={number}
            aria-pressed={isSelected}
            onClick={() => onSelect(number, 'chosen')}
          >
            Step {number}
          </button>
          <Phases phases={stepPhases(step)} />
          <Figures calls={calls} />
        </header>
        {before.map((call, index) => (
          <Said key={index} call={call} />
        ))}
        {actions.map((action) => (
          <ToolLine key={action.id} action={action} />
        ))}
        {observed && <Said call={observed} />}
        <Remarks step={step} />
        <StepActions branch={branch} step={step} />
      </article>
    </li>
  );
}

const Phases = ({ phases }: { phases: readonly PhaseState[] }) => (
  <ol class="phases" aria-label="Phases">
    {phases.map(({ name, state }) => (
      <li class={`phase phase-${state}`}>
        {name}
        <span class="hidden"> {state}</span>
      </li>
    ))}
  </ol>
);

/** Writes a typed answer as a code block. A line of JSON can never close the block. */
const fencedJson = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

/** Shows the output of one model call: thought and answer, or the reason why there is none. */
function Said({ call }: { call: ModelCallView }) {
  const { answer, failures, response, phase } = call;
  // A draft becomes thought or answer; until the response decides, the page shows it as thought.
  const thought = call.draft + call.thought;
  const isAnswer = phase === null || phase === 'observe';
  return (
    <>
      {thought !== '' && (
        <div class="thought">
          <Markdown text={thought} />
        </div>
      )}
      {answer !== '' && (
        <div class={isAnswer && response?.parse?.outcome !== 'malformed_action' ? 'answer' : 'thought'}>
          <Markdown text={response?.answer == null ? answer : fencedJson(response.answer)} />
        </div>
      )}
      {mergeRepeats(failures).map(({ error, retryInMs, tries }) => (
        <p class="failure">
          <Icon name="warning" />
          <span>
            {failureInWords(error)} <code>{error.code}</code>
            {error.details.map((detail) => (
              <span class="muted"> {detail.message}</span>
            ))}
            {tries > 1 && <span class="muted"> Tried {tries} times.</span>}
            {retryInMs !== null && <span class="muted"> Tried again after {duration(retryInMs)}.</span>}
          </span>
        </p>
      ))}
    </>
  );
}

type Failure = ModelCallView['failures'][number];

/** Merges adjacent attempts that failed in the same way. */
function mergeRepeats(failures: readonly Failure[]): readonly (Failure & { readonly tries: number })[] {
  const grouped: (Failure & { readonly tries: number })[] = [];
  for (const failure of failures) {
    const isSame = grouped.at(-1)?.error.code === failure.error.code;
    const tries = (isSame ? (grouped.pop()?.tries ?? 0) : 0) + 1;
    grouped.push({ ...failure, tries });
  }
  return grouped;
}

function Figures({ calls }: { calls: readonly ModelCallView[] }) {
  const usage = calls.flatMap(({ response }) => response?.usage ?? []);
  const sum = (name: 'input_tokens' | 'output_tokens' | 'cached_input_tokens') =>
    usage.reduce((total, each) => total + (each[name] ?? 0), 0);
  const took = calls.reduce(
    (total, { startedAt, endedAt }) => total + ((endedAt ?? 0) - (startedAt ?? 0)),
    0,
  );
  const isTimed =
    calls.length > 0 && calls.every(({ startedAt, endedAt }) => startedAt !== null && endedAt !== null);
  const cached = sum('cached_input_tokens');
  return (
    <dl class="figures">
      {usage.length > 0 && (
        <>
          <Figure name="Tokens in" value={tokens(sum('input_tokens'))} sign="in" />
          {cached > 0 && <Figure name="Cached tokens" value={tokens(cached)} sign="cached" />}
          <Figure name="Tokens out" value={tokens(sum('output_tokens'))} sign="out" />
        </>
      )}
      {isTimed && <Figure name="Time" value={duration(took)} />}
    </dl>
  );
}

/** Screen readers get the name; the sign is for sighted readers. */
const Figure = ({ name, value, sign }: { name: string; value: string; sign?: string }) => (
  <div>
    <dt class="hidden">{name}</dt>
    <dd class="figure">
      {value}
      {sign && <span aria-hidden="true"> {sign}</span>}
    </dd>
  </div>
);

function Remarks({ step }: { step: StepView }) {
  const remarks = stepRemarks(step);
  if (remarks.length === 0) return null;
  return (
    <ul class="remarks" aria-label="Remarks">
      {remarks.map(({ tone, short, full }) => (
        <li class={`remark remark-${tone}`}>
          <b>{short}</b> <span>{full}</span>
        </li>
      ))}
    </ul>
  );
}
