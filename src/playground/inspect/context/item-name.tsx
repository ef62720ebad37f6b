import { Exact } from '../../text/exact.js';

/** What a file, a chunk or a turn is called. A file may be called anything: every character of it is seen. */
export const ItemName = ({ name }: { name: string }) => (
  <span class="item-name">
    <Exact text={name} />
  </span>
);
