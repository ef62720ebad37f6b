import { isObject } from '../../contract/fields.js';
import type { PhaseControl } from '../../contract/step.js';

/** What a phase's reply says: its prose and its closing block (rule: phase-control). */
export interface PhaseReply {
  readonly prose: string;
  readonly control: PhaseControl;
}

const nothing: PhaseControl = {
  plan: null,
  tools_to_consider: null,
  finish: null,
  observation: null,
  should_continue: null,
  final_answer: null,
};

/** The keys by which the block of each phase is known. */
const blockKeys = {
  reason: ['plan', 'tools_to_consider', 'finish'],
  observe: ['observation', 'should_continue', 'final_answer'],
} as const satisfies Record<string, readonly (keyof PhaseControl)[]>;

/** A missing or broken block means free text and "go on". */
export function readPhaseReply(text: string, phase: keyof typeof blockKeys): PhaseReply {
  for (const start of blockStarts(text)) {
    const block = parseBlock(text.slice(start));
    const keys: readonly string[] = blockKeys[phase];
    if (!block || !keys.some((key) => key in block)) continue;
    const prose = text
      .slice(0, start)
      .replace(/```(?:json)?\s*$/i, '')
      .trim();
    return { prose, control: readControl(block) };
  }
  return {
    prose: text.trim(),
    control: phase === 'reason' ? { ...nothing, finish: false } : { ...nothing, should_continue: true },
  };
}

/** The last few places where a block may begin, latest first: a `{` at the start of a line. */
function blockStarts(text: string): number[] {
  const starts: number[] = [];
  let lineEnd = text.length;
  while (lineEnd >= 0 && starts.length < 20) {
    const lineStart = lineEnd === 0 ? 0 : text.lastIndexOf('\n', lineEnd - 1) + 1;
    const line = text.slice(lineStart, lineEnd);
    if (line.trimStart().startsWith('{')) starts.push(lineStart + line.indexOf('{'));
    lineEnd = lineStart - 1;
  }
  return starts;
}

/** Lets the prose of a streamed reply through, and holds back the block that ends it. */
export function proseOnly(): (delta: string) => string {
  let indent = '';
  let insideLine = false;
  let isBlock = false;
  const take = (piece: string): string => {
    if (insideLine) {
      insideLine = !piece.endsWith('\n');
      return piece;
    }
    const text = indent + piece;
    const [first] = text.trimStart();
    isBlock ||= first === '{' || first === '`';
    if (isBlock) return '';
    insideLine = first !== undefined && !piece.endsWith('\n');
    indent = first === undefined ? text : '';
    return first === undefined ? '' : text;
  };
  return (delta) =>
    isBlock
      ? ''
      : delta
          .split(/(?<=\n)/)
          .map(take)
          .join('');
}

function parseBlock(rest: string): Readonly<Record<string, unknown>> | undefined {
  const end = rest.lastIndexOf('}');
  try {
    const value: unknown = JSON.parse(rest.slice(0, end + 1));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not a block: free text
  }
}

function readControl(block: Readonly<Record<string, unknown>>): PhaseControl {
  const text = (key: string) => {
    const value = Array.isArray(block[key]) ? block[key].join('\n') : block[key];
    return typeof value === 'string' ? value : null;
  };
  const flag = (key: string) => (typeof block[key] === 'boolean' ? block[key] : null);
  const names = block['tools_to_consider'];
  return {
    ...nothing,
    plan: text('plan'),
    tools_to_consider: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : null,
    finish: flag('finish'),
    observation: text('observation'),
    should_continue: flag('should_continue'),
    final_answer: text('final_answer'),
  };
}
