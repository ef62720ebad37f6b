import { Exact } from '../../text/exact.js';

/** Name of a file, chunk or turn. Makes every character visible, since file names are untrusted. */
export const ItemName = ({ name }: { name: string }) => (
  <span class="item-name">
    <Exact text={name} />
  </span>
);
