import { reserveOf } from '../run/run-options.js';
import { change, settings } from '../state/settings.js';
import { tokens } from '../text/figures.js';

const SMALLEST = 2_000;
const LARGEST = 200_000;
/** Number of positions of the slider, which is logarithmic: 2k and 4k are as far apart as 100k and 200k. */
export const POSITIONS = 200;
const SHARES = 20;

/**
 * Sliders for the token limit, the tokens reserved for the reply, and the share for files. Moving the limit keeps the
 * reserved fraction. Each change requests a new preview.
 */
export function BudgetSettings() {
  const { tokenLimit, reserveShare, contextShare } = settings.value;
  return (
    <section class="group" aria-labelledby="budget-title">
      <h2 id="budget-title">Budget</h2>
      <Slider
        label="Token limit"
        text={tokens(tokenLimit)}
        max={POSITIONS}
        value={toPosition(tokenLimit)}
        onChange={(position) => change({ tokenLimit: toLimit(position) })}
      />
      <Slider
        label="Reply reserve"
        text={tokens(reserveOf(settings.value))}
        max={POSITIONS}
        value={Math.round(reserveShare * 2 * POSITIONS)}
        onChange={(position) =>
          change({ reserveShare: rounded((position / POSITIONS / 2) * tokenLimit) / tokenLimit })
        }
      />
      <Slider
        label="Share for files"
        text={`${Math.round(contextShare * 100)} %`}
        max={SHARES}
        value={contextShare * SHARES}
        onChange={(position) => change({ contextShare: position / SHARES })}
      />
    </section>
  );
}

interface SliderProps {
  readonly label: string;
  /** The value as text for screen readers. */
  readonly text: string;
  readonly max: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

export const Slider = ({ label, text, max, value, onChange }: SliderProps) => (
  <label class="slider">
    <span>{label}</span>
    <b class="figure" aria-hidden="true">
      {text}
    </b>
    <input
      type="range"
      min={0}
      max={max}
      value={value}
      aria-valuetext={text}
      onInput={({ currentTarget }) => onChange(Number(currentTarget.value))}
    />
  </label>
);

export const toLimit = (position: number): number =>
  rounded(SMALLEST * (LARGEST / SMALLEST) ** (position / POSITIONS));

export const toPosition = (limit: number): number =>
  Math.round((Math.log(limit / SMALLEST) / Math.log(LARGEST / SMALLEST)) * POSITIONS);

/** Rounds to two significant digits, since nobody sets a limit of 8,137 tokens. */
function rounded(count: number): number {
  const unit = 10 ** Math.max(1, Math.floor(Math.log10(count)) - 1);
  return Math.round(count / unit) * unit;
}
