import type { ComponentChildren } from 'preact';
import { Exact } from '../text/exact.js';

/** A list of names and values. */
export const Facts = ({ children }: { children: ComponentChildren }) => <dl class="facts">{children}</dl>;

/** One name with its value. Makes every character of the value visible, since a model or vendor may have written it. */
export const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd class="figure">
      <Exact text={value} />
    </dd>
  </div>
);
