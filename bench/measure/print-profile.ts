import type { Profiler } from 'node:inspector';

const SHOWN = 25;

/** Prints where the time of so many steps went: in a function itself, and in all that it called. */
export function printProfile(profile: Profiler.Profile, steps: number): void {
  const { self, inclusive } = sumProfile(profile);
  const toMs = (microseconds: number): number => microseconds / 1_000 / steps;
  for (const [title, sums] of [
    ['in the function itself', self],
    ['in the function and what it called', inclusive],
  ] as const) {
    console.log(`\nms of a step, ${title}\n`);
    const largest = [...sums].sort(([, one], [, other]) => other - one).slice(0, SHOWN);
    for (const [name, time] of largest) console.log(`${toMs(time).toFixed(2).padStart(8)}  ${name}`);
  }
}

type Sums = Map<string, number>;

function sumProfile({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): Record<'self' | 'inclusive', Sums> {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const callers = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const self: Sums = new Map();
  const inclusive: Sums = new Map();
  for (const [index, sample] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    const stack = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) {
      stack.add(names.get(id) ?? '');
    }
    // The profiler's own beginning.
    if ([...stack].some((name) => name.includes('node:inspector'))) continue;
    add(self, names.get(sample) ?? '', time);
    // A function that calls itself stands in it once.
    for (const name of stack) add(inclusive, name, time);
  }
  for (const name of ['(idle) ', '(root) ']) {
    self.delete(name);
    inclusive.delete(name);
  }
  return { self, inclusive };
}

function add(sums: Sums, name: string, time: number): void {
  sums.set(name, (sums.get(name) ?? 0) + time);
}

function nameOf({ functionName, url, lineNumber }: Profiler.ProfileNode['callFrame']): string {
  const place = url.replace(/^.*\/(?:\.build|node_modules)\//, '');
  return `${functionName || '(anonymous)'} ${place && `${place}:${lineNumber + 1}`}`;
}
