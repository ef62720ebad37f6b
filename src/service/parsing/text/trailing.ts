import { skipBlanks } from './scanner.js';

/** Tokens with which models end a reply; some servers leave them in the text. */
export const stopTokens = [
  '</s>',
  '<eos>',
  '<end_of_turn>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end|>',
  '<|end_of_text|>',
  '<|endoftext|>',
  '<|end_of_turn|>',
  '<｜end▁of▁sentence｜>',
] as const;

/** Stop words that a server may cut in the middle, leaving the first half (SPEC §7.3). */
export const stopWords = ['Observation:', '<observation>', '</tool_code', '</code', ...stopTokens] as const;
const shortestPartial = 3;

export function stopTokenAt(text: string, position: number): string | undefined {
  return text.charCodeAt(position) === 60
    ? stopTokens.find((token) => text.startsWith(token, position))
    : undefined;
}

/** What may close the wrapping of a call: inline code, emphasis, a list, a statement. */
const closers = ['`', '**', ';', ']'] as const;

/** Past closers, stop tokens and blanks up to where the line goes on with something else. */
export function skipClosers(text: string, position: number): number {
  let at = skipBlanks(text, position);
  for (;;) {
    const closer = closers.find((each) => text.startsWith(each, at)) ?? stopTokenAt(text, at);
    if (!closer || text.startsWith('```', at)) return at;
    at = skipBlanks(text, at + closer.length);
  }
}

/** Whether nothing but closers follows on this line, so that the call may end here. */
export function endsReply(text: string, position: number): boolean {
  const at = skipClosers(text, position);
  return (
    at >= text.length || text.charAt(at) === '\n' || text.charAt(at) === '\r' || text.startsWith('```', at)
  );
}

/** What a reply's end holds besides text: where the text ends, and which stop word was cut off. */
export function trimEnd(text: string, from: number): { end: number; stop: number } {
  let end = text.length;
  let stop = 0;
  for (;;) {
    while (end > from && text.charAt(end - 1).trim() === '') end -= 1;
    const cut = stopLength(text, from, end);
    if (cut === 0) return { end, stop };
    stop += cut;
    end -= cut;
  }
}

/** Whole stop tokens and beginnings of stop words, longest first, by their last character. */
const endings = new Map<string, string[]>();
for (const word of [...stopTokens, ...stopWords.flatMap(beginnings)].sort((a, b) => b.length - a.length)) {
  const last = word.slice(-1);
  endings.set(last, [...(endings.get(last) ?? []), word]);
}

function beginnings(word: string): string[] {
  const lengths = Array.from(
    { length: word.length - shortestPartial + 1 },
    (_, more) => shortestPartial + more,
  );
  return lengths.map((length) => word.slice(0, length));
}

/** Length of the whole stop token, or of the half stop word alone on its line, that ends at `end`. */
function stopLength(text: string, from: number, end: number): number {
  const found = endings
    .get(text.charAt(end - 1))
    ?.find(
      (word) =>
        end - from >= word.length &&
        text.endsWith(word, end) &&
        (word.startsWith('<') || startsLine(text, end - word.length, from)),
    );
  return found?.length ?? 0;
}

/** Only spaces stand before it on its line, and the reply does not start with it. */
function startsLine(text: string, position: number, from: number): boolean {
  let at = position;
  while (at > from && ' \t'.includes(text.charAt(at - 1))) at -= 1;
  return at > from && text.charAt(at - 1) === '\n';
}
