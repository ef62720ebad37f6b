import type { ComponentChildren } from 'preact';
import { Exact } from '../text/exact.js';

/** Names and what they come to, one under the other. */
export const Facts = ({ children }: { children: ComponentChildren }) => <dl class="facts">{children}</dl>;

/** A model or a vendor may have written the value: every character of it is seen. */
export const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figure">
      <Exact text={value} />
    </dd>
  </div>
);
