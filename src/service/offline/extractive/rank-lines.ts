import type { Evidence } from './evidence.js';
import type { SeenLine } from './read-observation.js';
import type { SearchTerm } from './search-terms.js';

export interface RankedLine extends SeenLine {
  readonly score: number;
}

/** Lines around one that count for it, since a sentence or a function is longer than a line. */
const NEIGHBOURHOOD = 3;
const NEIGHBOUR_SHARE = 0.4;

/**
 * All seen lines that match, the best first: rare and telling terms count more, then terms near by, terms in the
 * path, definitions, and numbers if the task asks for one. Ties go by path and line, so the order is always the same.
 */
export function rankLines({ files }: Evidence, task: string, terms: readonly SearchTerm[]): RankedLine[] {
  const weighed = weigh(terms, files);
  const factorOf = factorsFor(task);
  const ranked: RankedLine[] = [];
  for (const [path, texts] of files) {
    for (const [line, text] of texts) {
      const own = matches(weighed, text);
      if (own.size === 0) continue;
      const near = neighbours(texts, line).flatMap((each) => [...matches(weighed, each)]);
      const score = scoreLine({ own, near: new Map(near), inPath: matches(weighed, path) });
      ranked.push({ path, line, text, score: score * factorOf(path, text) });
    }
  }
  return ranked.sort((a, b) => b.score - a.score || a.path.localeCompare(b.path) || a.line - b.line);
}

/** The files of the lines with their best line, best file first: a file counts for its three best lines. */
export function rankFiles(lines: readonly RankedLine[]): { path: string; line: number }[] {
  const byPath = new Map<string, RankedLine[]>();
  for (const line of lines) {
    const own = byPath.get(line.path);
    if (own) own.push(line);
    else byPath.set(line.path, [line]);
  }
  const files = [...byPath].map(([path, own]) => ({
    path,
    line: own[0]?.line ?? 1,
    score: own.slice(0, 3).reduce((sum, { score }, index) => sum + score / (index + 1), 0),
  }));
  return files.sort((a, b) => b.score - a.score || a.path.localeCompare(b.path));
}

interface WeighedTerm extends SearchTerm {
  readonly value: number;
}

/** A term is worth less the more lines have it. */
function weigh(terms: readonly SearchTerm[], files: Evidence['files']): WeighedTerm[] {
  const counts = terms.map(() => 0);
  for (const texts of files.values()) {
    for (const text of texts.values()) {
      const lower = text.toLowerCase();
      for (const [at, { stem }] of terms.entries())
        if (lower.includes(stem)) counts[at] = (counts[at] ?? 0) + 1;
    }
  }
  return terms.map((term, at) => ({
    ...term,
    value: Math.min(term.weight, 20) / (1 + Math.log2(1 + (counts[at] ?? 0))),
  }));
}

/** The terms in a text with their values; a stem alone counts for half of the word. */
function matches(terms: readonly WeighedTerm[], text: string): Map<string, number> {
  const lower = text.toLowerCase();
  const found = new Map<string, number>();
  for (const { text: word, stem, value } of terms) {
    if (lower.includes(word.toLowerCase())) found.set(stem, value);
    else if (lower.includes(stem)) found.set(stem, value / 2);
  }
  return found;
}

interface Score {
  readonly own: ReadonlyMap<string, number>;
  readonly near: ReadonlyMap<string, number>;
  readonly inPath: ReadonlyMap<string, number>;
}

function scoreLine({ own, near, inPath }: Score): number {
  const total = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
  const extra = [...near].filter(([stem]) => !own.has(stem)).map(([, value]) => value * NEIGHBOUR_SHARE);
  return total(own.values()) + total(extra) + total(inPath.values()) * NEIGHBOUR_SHARE;
}

const neighbours = (texts: ReadonlyMap<number, string>, line: number): string[] =>
  [...Array(NEIGHBOURHOOD * 2 + 1).keys()].flatMap(
    (offset) => texts.get(line - NEIGHBOURHOOD + offset) ?? [],
  );

const definition =
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:public\s+|private\s+|static\s+)*(?:function|class|interface|type|enum|const|let|var|def|fn|func|fun|struct|trait|impl|module|namespace|sub)\b/u;
const asksForNumber =
  /\bhow (?:long|many|much|often|old|big|large)\b|\bwhen\b|\bwhat (?:percentage|number|limit|port|size)\b|\blimit\b|\bmaximum\b|\bwie (?:lange|viele?|oft|groß)\b|\bwann\b/iu;

/** What a line is, beside what it says. The numbers 0 and 1 stand in too many lines to tell anything. */
function factorsFor(task: string): (path: string, text: string) => number {
  const wantsNumber = asksForNumber.test(task);
  const wantsTests = /\btest/iu.test(task);
  return (path, text) => {
    const number = wantsNumber && /\d{2}|[2-9]/u.test(text) ? 2 : 1;
    const defines = definition.test(text) ? 1.4 : 1;
    const imports = /^\s*(?:import|from|require|using|#include)\b/u.test(text) ? 0.3 : 1;
    const tests = !wantsTests && testPath.test(path) ? 0.5 : 1;
    return number * defines * imports * tests;
  };
}

const testPath = /(?:^|[/._-])(?:tests?|spec|fixtures?)(?:[/._-]|$)/iu;
