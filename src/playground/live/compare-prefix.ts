import type { RecordedStep } from '../../sdk/index.js';
import {
  commonLength,
  type PromptMessage,
  promptMessages,
  sectionsOf,
} from '../inspect/prompt/prompt-sections.js';

/** How much of a prompt is the same as the beginning of the previous prompt, which a vendor can cache. */
export interface PrefixComparison {
  /** Size of the common beginning in tokens, estimated from its characters. */
  readonly keptTokens: number;
  readonly promptTokens: number;
  /** The first difference; null if only the end of the previous prompt changed, as it does with every step. */
  readonly change: PrefixChange | null;
}

/** The first place at which two prompts differ. */
export interface PrefixChange {
  /** The place in words, such as `message 3 (user), file src/total.ts`. */
  readonly place: string;
  /** Text directly before the difference, on the same line. */
  readonly same: string;
  /** Shortened texts of the previous prompt and of this one from the difference on; empty where a prompt has ended. */
  readonly was: string;
  readonly is: string;
}

type Compared = Pick<RecordedStep, 'prompt' | 'response'>;

/** Compares the prompt of a step with that of the previous step. */
export function comparePrefix(before: Compared, after: Compared): PrefixComparison {
  const former = promptMessages(before.prompt, null);
  const now = promptMessages(after.prompt, before.prompt);
  const keptChars = sum(now.map(({ kept }) => kept));
  const chars = sum(now.map(({ text }) => text.length));
  const promptTokens = promptTokensOf(after, chars);
  return {
    keptTokens: chars === 0 ? 0 : Math.round((promptTokens * keptChars) / chars),
    promptTokens,
    change: firstChange(former, now, tailTokens(before)),
  };
}

/** Approximate number of characters per token. */
const TOKEN_CHARS = 4;

const promptTokensOf = ({ response: { context_report: report, usage } }: Compared, chars: number): number =>
  report?.prompt_tokens ?? usage?.input_tokens ?? Math.round(chars / TOKEN_CHARS);

const tailTokens = ({ response: { context_report: report } }: Compared): number =>
  report ? report.prompt_tokens - report.stable_prefix_tokens : 0;

function firstChange(
  former: readonly PromptMessage[],
  now: readonly PromptMessage[],
  tail: number,
): PrefixChange | null {
  const index = former.findIndex(({ role, text }, at) => now[at]?.role !== role || now[at].text !== text);
  const was = former[index];
  if (!was) return null;
  const is = now[index];
  const start = is?.kept ?? 0;
  const isTail = index === former.length - 1 && was.text.length - start <= maxTailChars(tail);
  if (isTail && is) return null;
  const place = placeInWords(index, is ?? was, start);
  return { place, ...excerptsOf(was.text, is?.text ?? '', start) };
}

/**
 * Returns excerpts at the first difference. If it is in the `mark` of a fence, which changes with the content of the
 * fence, returns the changed content instead.
 */
function excerptsOf(was: string, is: string, at: number): Omit<PrefixChange, 'place'> {
  const isMark = / mark="[0-9a-f]*$/.test(is.slice(lineStart(is, at), at));
  const [begins, ends] = isMark ? [endOfLine(was, at), endOfLine(is, at)] : [at, at];
  const more = isMark ? commonLength(was.slice(begins), is.slice(ends)) : 0;
  return {
    same: is.slice(lineStart(is, ends + more), ends + more),
    was: lineFrom(was, begins + more),
    is: lineFrom(is, ends + more),
  };
}

const EXCERPT = 120;

/** Returns the rest of a line, or the next line if the text starts with line ends. */
const lineFrom = (text: string, at: number): string =>
  /^\n*[^\n]*/.exec(text.slice(at, at + EXCERPT))?.[0] ?? '';

const LINE_EXCERPT = 60;

/**
 * Maximum length of a change at the end of a prompt that is regarded as a change of its tail. It is generous, because
 * the report gives the size of the tail only in tokens, and a prompt without a tail still ends with a fixed text.
 */
const maxTailChars = (tail: number): number => Math.max(400, tail * 2 * TOKEN_CHARS);

function lineStart(text: string, at: number): number {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return at === 0 ? 0 : Math.max(start, at - LINE_EXCERPT);
}

function placeInWords(index: number, { role, text }: PromptMessage, at: number): string {
  if (role === 'tools') {
    const name = text
      .slice(0, endOfLine(text, at))
      .match(/^ {2}"name": "(.*)",?$/gm)
      ?.at(-1);
    const tool = /: "(.*)"/.exec(name ?? '')?.[1];
    return tool === undefined ? 'the tools' : `the tools, at the definition of ${tool}`;
  }
  const section = sectionsOf(text).find(({ start, end }) => at >= start && at < end);
  const title = section?.title;
  const message = role === 'system' ? 'the system text' : `message ${index + 1} (${role})`;
  return title ? `${message}, ${title}` : message;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Minimum size of a prompt that vendors cache. */
const MIN_CACHED_TOKENS = 1_024;
/** Time after which most vendors discard an unused cache. */
const CACHE_LIFE_MS = 5 * 60_000;

/** Returns the reasons, other than a change of the prompt, why a vendor may have read nothing from its cache. */
export function otherReasons(before: RecordedStep, after: RecordedStep): readonly string[] {
  const ended = Date.parse(before.began_at) + before.duration_ms;
  const pause = Date.parse(after.began_at) - ended;
  const [was, is] = [before.response.model, after.response.model];
  const size = promptTokensOf(after, 0);
  return [
    ...(was !== is ? [`the previous step used another model, ${was ?? 'without a name'}`] : []),
    ...(size < MIN_CACHED_TOKENS
      ? [`the prompt is shorter than the ${MIN_CACHED_TOKENS.toLocaleString('en')} tokens that vendors cache`]
      : []),
    ...(pause > CACHE_LIFE_MS
      ? [
          `the previous step ended ${Math.round(pause / 60_000)} minutes earlier, and caches often last only 5`,
        ]
      : []),
  ];
}
