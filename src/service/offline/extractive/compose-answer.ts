import type { ProposedCall } from './choose-tools.js';
import type { SearchState } from './evidence.js';
import { type RankedLine, rankLines } from './rank-lines.js';
import { asksForListing, asksForOverview, type SearchTerm } from './search-terms.js';

/** What the model does next, with the thought that leads to it. */
export type NextStep =
  | { readonly thought: string; readonly call: ProposedCall; readonly answer?: never }
  | { readonly thought: string; readonly answer: string; readonly call?: never };

const MAX_QUOTES = 4;
const MAX_LISTED = 40;
const MAX_BEGINNING = 28;
/** A line this much weaker than the best one is not quoted. */
const WORTH_QUOTING = 0.45;

/** Answers by quoting: the best lines with what stands around them, each with path and line number. */
export function composeAnswer(state: SearchState): NextStep {
  const { prompt, evidence, terms } = state;
  if (asksForListing(prompt.task) && asksForOverview(terms) && evidence.paths.length > 0) {
    return { thought: 'The listing is what was asked for.', answer: listFiles(evidence.paths) };
  }
  const quotes = chooseLines(
    rankLines(
      evidence,
      prompt.task,
      terms.filter(({ weight }) => weight > 1),
    ),
  );
  if (quotes.length > 0) {
    const words = quoteTerms(terms);
    const answer = [`These lines match best (${words}):`, ...quotes.map((line) => quote(state, line))];
    return { thought: 'I have seen the lines that match best, and quote them.', answer: answer.join('\n\n') };
  }
  const beginnings = asksForOverview(terms) || !prompt.tools.length ? quoteBeginnings(state) : [];
  if (beginnings.length > 0) {
    return { thought: 'I quote how the files begin that I have read.', answer: beginnings.join('\n\n') };
  }
  return { thought: 'I have found nothing that I could quote.', answer: admitNothing(state) };
}

const quoteTerms = (terms: readonly SearchTerm[]): string =>
  terms
    .slice(0, 4)
    .map(({ text }) => `"${text}"`)
    .join(', ');

const listFiles = (paths: readonly string[]): string =>
  [
    `${paths.length} files:`,
    ...paths.slice(0, MAX_LISTED).map((path) => `- ${path}`),
    ...(paths.length > MAX_LISTED ? [`… and ${paths.length - MAX_LISTED} more`] : []),
  ].join('\n');

/** The best lines, none near another, at most two from one file. */
function chooseLines(ranked: readonly RankedLine[]): RankedLine[] {
  const chosen: RankedLine[] = [];
  const limit = (ranked[0]?.score ?? 0) * WORTH_QUOTING;
  for (const line of ranked) {
    const same = chosen.filter(({ path }) => path === line.path);
    const near = same.some((other) => Math.abs(other.line - line.line) <= 8);
    if (line.score >= limit && same.length < 2 && !near) chosen.push(line);
    if (chosen.length === MAX_QUOTES) break;
  }
  return chosen;
}

/** Two lines before and six after, as far as they are known and belong together. */
function quote({ evidence }: SearchState, { path, line }: RankedLine): string {
  const texts = evidence.files.get(path) ?? new Map<number, string>();
  let first = line;
  while (first > line - 2 && texts.get(first - 1)?.trim()) first -= 1;
  let last = line;
  while (last < line + 6 && texts.get(last + 1)?.trim()) last += 1;
  return quoteRange({ path, line, first, last }, texts);
}

interface Range {
  readonly path: string;
  readonly line: number;
  readonly first: number;
  readonly last: number;
}

function quoteRange({ path, line, first, last }: Range, texts: ReadonlyMap<number, string>): string {
  const numbers = [...Array(last - first + 1).keys()].map((offset) => first + offset);
  const width = String(last).length;
  const lines = numbers.map(
    (number) => `    ${String(number).padStart(width)}  ${shorten(texts.get(number) ?? '')}`,
  );
  return [`${path}:${line}`, '', ...lines.map((text) => text.trimEnd())].join('\n');
}

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 159)}…` : text);

/** For a question about the whole: the first lines of what was read, the introduction first. */
function quoteBeginnings({ evidence }: SearchState): string[] {
  const files = [...evidence.read].flatMap((path) => {
    const texts = evidence.files.get(path);
    return texts && texts.size > 0 ? [{ path, texts }] : [];
  });
  const height = Math.floor(MAX_BEGINNING / Math.min(2, files.length));
  return files.slice(0, 2).map(({ path, texts }) => {
    const numbers = [...texts.keys()].sort((a, b) => a - b);
    const first = numbers[0] ?? 1;
    const last = Math.min(numbers.at(-1) ?? first, first + height - 1);
    return quoteRange({ path, line: first, first, last }, texts);
  });
}

function admitNothing({ prompt, evidence, terms }: SearchState): string {
  const found =
    terms.length > 0 ? `I found nothing for ${quoteTerms(terms)}.` : 'I found no term to search for.';
  const without =
    prompt.tools.length === 0 ? ' No tool is offered, and no file that came along matches.' : '';
  const files = evidence.paths.length > 0 ? `\n\n${listFiles(evidence.paths)}` : '';
  return `${found}${without} I am an extractive searcher, not a language model: words as they stand in the files may help.${files}`;
}
