import { isDeepStrictEqual } from 'node:util';
import type { OfferedTool } from '../../../src/parsing/arguments/offered-tool.js';
import type { ParseDelta } from '../../../src/parsing/delta-writer.js';
import { IncrementalParser } from '../../../src/parsing/incremental-parser.js';
import {
  type ParsedCompletion,
  type ParseOptions,
  parseCompletion,
} from '../../../src/parsing/parse-completion.js';
import { cut } from './arbitraries.js';
import { tools } from './tools.js';

/** The deltas of a stream, joined for each type. */
export type Joined = Record<ParseDelta['type'], string>;

/** Streams a text in chunks. Returns the deltas joined by type, and the final completion. */
export function stream(
  text: string,
  lengths: readonly number[],
  { offered = tools, ...options }: ParseOptions & { readonly offered?: readonly OfferedTool[] } = {},
): { joined: Joined; completion: ParsedCompletion } {
  const parser = new IncrementalParser(offered);
  const joined: Joined = { reasoning: '', draft: '', thought: '', answer: '' };
  const take = (deltas: ParseDelta[]): void => {
    for (const { type, delta } of deltas) joined[type] += delta;
  };
  for (const chunk of cut(text, lengths)) take(parser.push(chunk));
  const { deltas, completion } = parser.end(options);
  take(deltas);
  return { joined, completion };
}

/** Returns whether streaming a text in chunks gives the same result as parsing the whole text (rule: deltas-join). */
export function streamsToTheSameResult(text: string, lengths: readonly number[]): boolean {
  return isDeepStrictEqual(stream(text, lengths).completion, parseCompletion(text, tools));
}

/**
 * Returns whether no text is lost: each character is in a field or counted as discarded. White space, labels, tags
 * and fences around the reply are not counted (rule: thought-and-answer).
 */
export function accountsForAllText(text: string): boolean {
  const parsed = parseCompletion(text, tools);
  const further = parsed.outcome === 'action' ? (parsed.additionalActions ?? []) : [];
  const raws = further.map(({ raw }) => raw);
  const weights = [parsed.reasoning, parsed.thought, parsed.answer, parsed.action?.raw, ...raws].map(weight);
  const counted = parsed.discarded.reduce((sum, { chars }) => sum + chars, 0);
  // Removing reasoning joins the texts around it, which may form a new tag. So the weight is computed with and without
  // the reasoning tags. The language after a fence is not text.
  const least = Math.min(
    ...[text, text.replace(/<\/?think>/g, '')].map((each) => weight(withoutLanguages(each))),
  );
  return weights.reduce((sum, each) => sum + each, counted) >= least;
}

function withoutLanguages(text: string): string {
  return text.replace(/(?:```|~~~)[\w+#.-]*(?=\s*?(?:\r?\n|$))/g, '');
}

/** Counts letters and digits outside labels, tags and stop tokens. */
function weight(text: string | null | undefined): number {
  const markup =
    /<\/?(?:think|final_answer|answer|observation|tool_call|tool_code|name|parameters)>?|<\/s>|<\|im_end\|>|<\|im_start\|>(?:user(?![\p{L}\p{N}_]))?|Final Answer|(?:Thought|Action Input|Action|Final Answer|Answer|Observation)[ \t]*\d*[ \t]*\**:/giu;
  return (text ?? '').replace(markup, '').replace(/[^\p{L}\p{N}]/gu, '').length;
}
