/** A line of a file that the model `offline` quotes in an answer. */
export interface QuotedLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Returns the quoted lines below each `path:line` in an answer. */
export function quotedLines(answer: string): QuotedLine[] {
  return answer.split(/^(?=\S+:\d+(?:$| ))/m).flatMap((block) => {
    const path = /^(\S+):\d+\s/.exec(block)?.[1];
    const lines = [...block.matchAll(/^ {4}[> ] *(\d+)(?: {2}(.*))?$/gm)];
    return path === undefined ? [] : lines.map(([, line, text = '']) => ({ path, line: Number(line), text }));
  });
}
