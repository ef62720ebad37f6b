import type { BudgetView, LeftOut } from '../run/conversation-view.js';
import { request } from './host.js';

const count = new Intl.NumberFormat();

/** Composition of the newest prompt, and the items that did not fit. */
export function Budget({ budget: { limit, used, pieces, isEstimated, leftOut } }: { budget: BudgetView }) {
  return (
    <section class="budget" aria-label="Token budget">
      <p class="budget-line">
        Prompt{' '}
        <span class="muted">{`${count.format(used)} of ${count.format(limit)} tokens${isEstimated ? ', estimated' : ''}`}</span>
      </p>
      <div class="budget-bar" aria-hidden="true">
        {pieces.map(({ name, tokens }) => (
          <span key={name} class={`piece ${classOf(name)}`} style={{ flexGrow: tokens }} title={name} />
        ))}
      </div>
      <ul class="legend" aria-label="Tokens by source">
        {pieces.map(({ name, tokens }) => (
          <li key={name}>
            <span class={`swatch ${classOf(name)}`} aria-hidden="true" />
            {name} <span class="muted">{count.format(tokens)}</span>
          </li>
        ))}
      </ul>
      {leftOut.length > 0 && <LeftOutList leftOut={leftOut} />}
    </section>
  );
}

const classOf = (name: string): string => `piece-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;

const LeftOutList = ({ leftOut }: { leftOut: readonly LeftOut[] }) => (
  <details class="left-out">
    <summary>{`Left out or cut: ${leftOut.length}`}</summary>
    <ul aria-label="Left out">
      {leftOut.map(({ name, reason, path }) => (
        <li key={name}>
          {path === null ? (
            <bdi>{name}</bdi>
          ) : (
            <button type="button" class="link" onClick={() => request({ type: 'openFile', path })}>
              <bdi>{name}</bdi>
            </button>
          )}{' '}
          <span class="muted">{reason}</span>
        </li>
      ))}
    </ul>
  </details>
);
