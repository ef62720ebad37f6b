import { useState } from 'preact/hooks';
import { LongText } from '../../text/long-text.js';
import type { PartPair, StepFigures, StepPair } from './align-steps.js';
import { type ChangedMiddle, changedMiddle } from './changed-middle.js';

export interface StepComparisonProps {
  readonly pair: StepPair;
  /** Names of the left and the right run. */
  readonly names: readonly [string, string];
}

/** One step of two runs: collapsed if both are equal, open if they differ. */
export function StepComparison({ pair, names }: StepComparisonProps) {
  const { number, parts, isSame, left, right } = pair;
  const [isOpen, setIsOpen] = useState(!isSame);
  return (
    <li class={`pair ${isSame ? 'pair-same' : 'pair-changed'}`}>
      <button type="button" class="pair-head" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <span class="pair-mark" aria-hidden="true">
          {isOpen ? '−' : '+'}
        </span>
        Step {number} <span class="pair-state">{stateOf(pair)}</span>
      </button>
      <div class="compare-sides pair-figures">
        <Figures figures={left} other={right} name={names[0]} />
        <Figures figures={right} other={left} name={names[1]} />
      </div>
      {isOpen && parts.map((part, index) => <Part key={`${part.name} ${index}`} part={part} names={names} />)}
    </li>
  );
}

function stateOf({ isSame, left, right, parts }: StepPair): string {
  if (isSame) return 'same';
  if (!left || !right) return left ? 'only left' : 'only right';
  const different = parts.filter((part) => !part.isSame);
  const named = (which: (part: PartPair) => boolean, how: string): string[] => {
    const names = new Set(different.filter(which).map(({ name }) => name.toLowerCase()));
    return names.size === 0 ? [] : [`${[...names].join(', ')} ${how}`];
  };
  return [
    ...named((part) => part.left !== '' && part.right !== '', 'changed'),
    ...named((part) => part.right === '', 'only left'),
    ...named((part) => part.left === '', 'only right'),
  ].join('; ');
}

interface FiguresProps {
  readonly figures: StepFigures | null;
  readonly other: StepFigures | null;
  readonly name: string;
}

function Figures({ figures, other, name }: FiguresProps) {
  if (!figures) return <p class="muted small">No such step.</p>;
  return (
    <dl class="figure small" aria-label={name}>
      <Figure name="Prompt" value={figures.promptTokens} other={other?.promptTokens} />
      <Figure name="In" value={figures.inputTokens} other={other?.inputTokens} />
      <Figure name="Out" value={figures.outputTokens} other={other?.outputTokens} />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: number | null;
  readonly other: number | null | undefined;
}

const Figure = ({ name, value, other }: FigureProps) =>
  value === null ? null : (
    <div>
      <dt class="muted">{name}</dt>
      <dd class={other !== undefined && other !== value ? 'figure-changed' : ''}>
        {value.toLocaleString('en')}
      </dd>
    </div>
  );

function Part({
  part: { name, left, right, isSame },
  names,
}: {
  part: PartPair;
  names: readonly [string, string];
}) {
  const isCode = name === 'Call' || name === 'Result';
  if (isSame) {
    return (
      <section class="part part-same">
        <h3>
          {name} <span class="muted">the same</span>
        </h3>
        <div class={isCode ? 'code' : ''}>
          <LongText text={left} lines={4} />
        </div>
      </section>
    );
  }
  const middle = changedMiddle(left, right);
  return (
    <section class="part">
      <h3>{name}</h3>
      <div class={`compare-sides ${isCode ? 'code' : ''}`}>
        <Side text={left} middle={middle} side="left" name={names[0]} />
        <Side text={right} middle={middle} side="right" name={names[1]} />
      </div>
    </section>
  );
}

interface SideProps {
  readonly text: string;
  readonly middle: ChangedMiddle;
  readonly side: 'left' | 'right';
  readonly name: string;
}

/** Maximum number of common characters shown around a difference. */
const CONTEXT = 300;
const MAX_MIDDLE = 2_000;

/** One of the two texts, with the difference highlighted and a little context around it. */
function Side({ text, middle, side, name }: SideProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (text === '') return <p class="muted">None.</p>;
  const { before, after } = middle;
  const own = middle[side];
  // Without a common part, highlighting would mark everything.
  const hasCommon = before + after !== '';
  const isCut = before.length > CONTEXT || after.length > CONTEXT || own.length > MAX_MIDDLE;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what can be filled in
    <div class={`side side-${side}`} role="group" aria-label={name} tabIndex={0}>
      {isWhole ? (
        <LongText text={text} lines={400} characters={100_000} />
      ) : (
        <pre dir="auto">
          {before.length > CONTEXT ? `… ${before.slice(-CONTEXT)}` : before}
          {hasCommon ? <mark>{own.slice(0, MAX_MIDDLE)}</mark> : own.slice(0, MAX_MIDDLE)}
          {own.length > MAX_MIDDLE ? ' …' : after.length > CONTEXT ? `${after.slice(0, CONTEXT)} …` : after}
        </pre>
      )}
      {isCut && (
        <button type="button" class="link" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show only the difference' : `Show all ${text.length.toLocaleString('en')} characters`}
        </button>
      )}
    </div>
  );
}
