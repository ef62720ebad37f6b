import { type ParsedCompletion, type ParseOptions, parseInSlices } from '../../parsing/parse-completion.js';
import type { Sliced } from '../../parsing/slices.js';
import { readValue } from '../../parsing/text/literals.js';
import { type Repair, Scanner } from '../../parsing/text/scanner.js';
import { isRecord } from '../schema/image.js';
import { cutOff, discardedFields, malformed } from './completions.js';
import type { ScannedField } from './object-scanner.js';
import { type ScannedReply, thoughtOf } from './scanned-reply.js';

/** A completion of which it is known whether it departs from the schema that it may have been held to. */
export type ReadAction = ParsedCompletion & { readonly departs?: boolean };

export function* readAction(
  reply: ScannedReply,
  { turn, raw }: { readonly turn: ScannedField; readonly raw: string },
  options: ParseOptions,
): Sliced<ReadAction> {
  if (turn.end === null) return cutOff(reply, options);
  const { text, tools } = reply;
  const meant = yield* meantCall(raw, reply);
  if (!meant) return malformed(reply, 'the action holds a key twice: write each key once');
  const { call, repairs } = meant;
  const departs = meant.departs || turn.first === '"';
  const parsed = yield* parseInSlices(`Action: ${call}`, tools, { finishReason: 'stop' });
  const discarded = discardedFields(reply, turn);
  const said = { thought: thoughtOf(reply), discarded, repairs: [...repairs, ...parsed.repairs] };
  if (parsed.outcome === 'answer' || parsed.outcome === 'empty') return { ...parsed, ...said };
  if (parsed.outcome !== 'action') return { ...parsed, answer: text.trim(), discarded };
  return { ...parsed, ...said, action: { ...parsed.action, raw }, dialect: 'json', departs };
}

interface MeantCall {
  readonly call: string;
  readonly repairs: readonly Repair[];
  /** The call is none of the schema. */
  readonly departs: boolean;
}

/**
 * The call with the arguments that were meant; as it is written if it is not of the taught form. Null where a key
 * stands twice in it: which of the two is meant would have to be guessed.
 */
function* meantCall(raw: string, { restoreArguments }: ScannedReply): Sliced<MeantCall | null> {
  const scanner = new Scanner(raw, 0);
  const value = yield* readValue(scanner);
  if (scanner.repairs.has('duplicate_key')) return null;
  const { tool, args = {}, final_answer: answer, ...others } = isRecord(value) ? value : {};
  if (typeof tool !== 'string' || Object.keys(others).length > 0)
    return { call: raw, repairs: [], departs: true };
  const meant = restoreArguments(tool, args);
  const asWritten = answer === undefined ? raw : JSON.stringify({ name: tool, arguments: args });
  const call = meant === undefined ? asWritten : JSON.stringify({ name: tool, arguments: meant });
  return { call, repairs: [...scanner.repairs], departs: meant === undefined || answer !== undefined };
}

/** The text of an action that is an object, or the text of one; null for anything else. */
export function writtenAction(
  { text, start, scanner }: ScannedReply,
  { first, ...turn }: ScannedField,
): string | null {
  const written =
    first === '"' ? scanner.strings.get('action') : text.slice(start + turn.start, start + (turn.end ?? 0));
  return first === '{' || written?.trimStart().startsWith('{') ? (written ?? '').trim() : null;
}
