import type { OfferedTool } from '../../arguments/offered-tool.js';
import type { ParsedCompletion, ParseOptions } from '../../parse-completion.js';
import type { ObjectScanner } from '../scanning/object-scanner.js';
import type { RestoreArguments } from '../schema/reply-schema.js';

/** A scanned reply that contains an object. */
export interface ScannedReply {
  readonly text: string;
  /** Start of the object. */
  readonly start: number;
  readonly scanner: ObjectScanner;
  readonly before: ParsedCompletion;
  readonly tools: readonly OfferedTool[];
  readonly restoreArguments: RestoreArguments;
  readonly phase: 'reason' | 'observe' | undefined;
  /** The key under which the reply schema has the answer; set if that schema may have constrained the reply. */
  readonly answerKey?: 'final_answer' | 'action' | undefined;
  /** True if the answer is a JSON value of any type instead of text (rule: typed-answers). */
  readonly hasJsonAnswer?: boolean;
}

export const endOf = ({ text, start, scanner: { end } }: ScannedReply): number =>
  end === null ? text.length : start + end;

export const isCut = ({ scanner }: ScannedReply, { finishReason }: ParseOptions): boolean =>
  scanner.end === null && finishReason === 'length';

/** Joins the prose before the object and the thought inside it. */
export function thoughtOf({ before, scanner }: Pick<ScannedReply, 'before' | 'scanner'>): string | null {
  return [before.answer, scanner.strings.get('thought')?.trim()].filter(Boolean).join('\n') || null;
}
