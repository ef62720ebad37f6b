import { useMemo, useRef } from 'preact/hooks';
import { explainEnd, type StepError, type StepView } from '../../sdk/index.js';
import { Icon } from '../controls/icon.js';
import type { Branch } from '../run/branch.js';
import { failureInWords } from '../run/failure-in-words.js';
import { usageInWords } from '../run/usage-by-model.js';
import { Markdown } from '../text/markdown.js';
import { wordFor } from '../text/word-for.js';
import { RecordedBanner } from '../tour/recorded-banner.js';
import { isRecorded } from '../tour/watch-tour.js';
import { endings } from './announce.js';
import { StepCard, type StepCardProps } from './step-card.js';

import { useFollowEnd } from './use-follow-end.js';

export interface TimelineProps {
  readonly branch: Branch;
  readonly selected: number | null;
  readonly onSelect: StepCardProps['onSelect'];
}

/** The steps of a run in order. The up and down arrows move between steps. */
export function Timeline({ branch, selected, onSelect }: TimelineProps) {
  const list = useRef<HTMLOListElement>(null);
  useFollowEnd(list, branch.id, branch.view.result === null);
  const { task, steps } = branch.view;
  return (
    <>
      {isRecorded(branch.id) && <RecordedBanner />}
      {task !== '' && (
        <div class="task" dir="auto">
          <h2 class="hidden">Task</h2>
          {task}
          <AttachedTypes branch={branch} />
        </div>
      )}
      <ol
        class="steps"
        ref={list}
        aria-label="Steps"
        onKeyDown={(event) => moveFocus(event, list.current, onSelect)}
      >
        {steps.map((step) => (
          <Step
            key={step.number}
            branch={branch}
            step={step}
            isSelected={step.number === selected}
            onSelect={onSelect}
          />
        ))}
      </ol>
      <End {...branch} />
    </>
  );
}

/** Names the images and PDF files of the task. */
function AttachedTypes({ branch: { saved } }: { branch: Branch }) {
  const types = (saved?.attachments ?? []).map(({ media_type }) => media_type);
  if (types.length === 0) return null;
  return (
    <p class="muted">
      <Icon name="image" /> Attached: {types.join(', ')}
    </p>
  );
}

/** Renders a step again only if its data changed: a run may have forty steps, and each delta changes one. */
const Step: typeof StepCard = ({ branch, step, isSelected, onSelect }) =>
  useMemo(
    () => <StepCard branch={branch} step={step} isSelected={isSelected} onSelect={onSelect} />,
    [branch.id, branch.view.result, step, isSelected, onSelect],
  );

/** Shows why the run ended and its total usage. */
function End({ view: { result, steps, inherited } }: Branch) {
  if (!result) return null;
  const text = result.answer ?? (result.error ? '' : explainEnd(result));
  const isShown = steps.at(-1)?.calls.at(-1)?.answer.trim() === text.trim();
  return (
    <footer class={`end end-${result.stopReason}`}>
      <p>
        <b>
          {result.stopReason === 'answered' ? 'Answered' : `Ended: ${wordFor(endings, result.stopReason)}`}
        </b>{' '}
        <span class="muted figure end-figures">
          {inherited > 0 && <span>{usageInWords(steps.slice(0, inherited), ' kept')}</span>}
          <span>{usageInWords(steps.slice(inherited), inherited > 0 ? ' of its own' : '')}</span>
        </span>
        {result.terminationReason && <code> {result.terminationReason}</code>}
      </p>
      {result.error && !isShownByCall(steps, result.error) && (
        <p class="muted">{failureInWords(result.error)}</p>
      )}
      {!isShown && <Markdown text={text} />}
    </footer>
  );
}

/** Reports whether the newest model call already shows this error. */
const isShownByCall = (steps: readonly StepView[], { code }: StepError): boolean =>
  steps.at(-1)?.calls.at(-1)?.failures.at(-1)?.error.code === code;

function moveFocus(
  event: KeyboardEvent,
  list: HTMLElement | null,
  onSelect: TimelineProps['onSelect'],
): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const buttons = [...(list?.querySelectorAll<HTMLElement>('.step-name') ?? [])];
  const at = buttons.indexOf(event.target as HTMLElement);
  if (step === undefined || at === -1) return;
  const next = buttons[at + step];
  event.preventDefault();
  next?.focus();
  if (next) onSelect(Number(next.dataset['step']), 'passed');
}
