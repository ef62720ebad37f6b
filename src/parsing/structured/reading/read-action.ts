import { OfferedTools } from '../../arguments/offered-tool.js';
import { withArguments } from '../../dialects/written-call.js';
import { addUp } from '../../discarded.js';
import { type ParsedCompletion, type ParseOptions, parseCompletion } from '../../parse-completion.js';
import { type ResolvedCall, resolveCall } from '../../resolve-call.js';
import { readValue } from '../../text/literals.js';
import { isJsonObject, type JsonObject, type JsonValue, type Repair, Scanner } from '../../text/scanner.js';
import type { ScannedField } from '../scanning/scanned-strings.js';
import { readJson } from '../schema/image.js';
import { answered, cutOff, discardedFields, malformed, noAction } from './completions.js';
import { type ScannedReply, thoughtOf } from './scanned-reply.js';

/**
 * A completion. `departs` is true if the text deviates from the schema that may have constrained it. `answerValue` is
 * the answer as a value, if answers are JSON values.
 */
export type ReadAction = ParsedCompletion & {
  readonly departs?: boolean;
  readonly answerValue?: JsonValue | undefined;
};

interface WrittenAction {
  readonly turn: ScannedField;
  readonly raw: string;
}

export function readAction(reply: ScannedReply, written: WrittenAction, options: ParseOptions): ReadAction {
  if (written.turn.end === null) return cutOff(reply, options);
  const scanner = new Scanner(written.raw, 0);
  const value = readValue(scanner);
  const problem = reply.scanner.hasTextBetween ? textBetween : contradiction(value, scanner);
  if (problem !== null) return malformed(reply, problem);
  const list = answerList(value);
  if (list !== null) return { ...answered(reply, list, written.turn), departs: true };
  return isTaught(value)
    ? readTaught(reply, { ...written, value, scanner })
    : readOther(reply, written, scanner.repairs);
}

const textBetween =
  'text stands between the fields of the object: write the object alone, with nothing but a comma after each field';

/** Keys for the tool's name and its arguments; those that the prompt asks for come first. */
const nameKeys = ['tool', 'name', 'tool_name', 'function', 'action'] as const;
const argumentKeys = ['args', 'arguments', 'parameters', 'params', 'tool_args', 'action_input'] as const;

/**
 * Describes why an action is ambiguous: it has a key twice, or two tools or sets of arguments, and choosing one would
 * be a guess. Returns null if it is not.
 */
function contradiction(value: JsonValue | undefined, { repairs }: Scanner): string | null {
  if (repairs.has('duplicate_key')) return keyTwice;
  if (!isJsonObject(value)) return null;
  const names = nameKeys.map((key) => ownValue(value, key)).filter((name) => typeof name === 'string');
  if (new Set(names).size > 1) return 'the action names two tools: write one, under "tool"';
  const sets = argumentKeys.map((key) => ownValue(value, key)).filter((args) => (args ?? null) !== null);
  const isOne = sets.length < 2 || new Set(sets.map((args) => JSON.stringify(args))).size === 1;
  return isOne ? null : 'the action holds two sets of arguments: write one, under "args"';
}

const keyTwice = 'the action holds a key twice: write each key once';

const ownValue = (object: JsonObject, key: string): JsonValue | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** If an action is only an answer, and that answer is a list, returns the list as JSON text; else null. */
function answerList(value: JsonValue | undefined): string | null {
  const answer = isJsonObject(value) && Object.keys(value).length === 1 ? value['final_answer'] : undefined;
  return Array.isArray(answer) ? JSON.stringify(answer) : null;
}

type TaughtAction = JsonObject & { readonly tool: string; readonly args: JsonValue };

function isTaught(value: JsonValue | undefined): value is TaughtAction {
  return isJsonObject(value) && typeof value['tool'] === 'string' && ownValue(value, 'args') !== undefined;
}

interface TaughtReading extends WrittenAction {
  readonly value: TaughtAction;
  readonly scanner: Scanner;
}

/**
 * Reads an action in the form `{"tool", "args"}` that the prompt asks for, and converts its arguments back to the
 * tool's own schema.
 */
function readTaught(reply: ScannedReply, { turn, raw, value, scanner }: TaughtReading): ReadAction {
  const { tool, args, final_answer: answer, ...others } = value;
  const restored = reply.restoreArguments(tool, args, scanner);
  const given = restored ?? args;
  const written = typeof given === 'string' ? readJson(given, scanner) : given;
  if (scanner.problem) return malformed(reply, `${tool}: ${scanner.problem}`);
  if (scanner.repairs.has('duplicate_key')) return malformed(reply, keyTwice);
  const place = { kind: 'call', dialect: 'json', start: 0, end: raw.length, isStepObject: true } as const;
  const call = withArguments({ name: tool, ...place }, isJsonObject(written) ? written : args, scanner);
  const limits = { cutByLimit: false, textLength: raw.length };
  const resolved = resolveCall(call, OfferedTools.of(reply.tools), limits);
  const read = fromCall(reply, { turn, raw }, resolved);
  const left = Object.values(others).map(
    (each) => ({ kind: 'text', chars: JSON.stringify(each).length }) as const,
  );
  const departs = restored === undefined || answer !== undefined || left.length > 0 || turn.first === '"';
  return { ...read, discarded: addUp([...read.discarded, ...left]), departs };
}

function fromCall(reply: ScannedReply, { turn, raw }: WrittenAction, call: ResolvedCall): ParsedCompletion {
  if (call.outcome === 'answer')
    return { ...answered(reply, call.answer.trim(), turn), repairs: call.repairs };
  const discarded = discardedFields(reply, turn);
  if (call.outcome !== 'action') return { ...malformed(reply, call.problem, call.outcome), discarded };
  const { toolName, toolArgs, repairs } = call;
  const common = { thought: thoughtOf(reply), discarded, repairs };
  const action = { toolName, toolArgs, raw };
  return {
    ...reply.before,
    ...noAction,
    ...common,
    outcome: 'action',
    answer: null,
    action,
    dialect: 'json',
  };
}

/** Reads the content of `action` as a call in one of the syntaxes that are allowed in text replies. */
function readOther(
  reply: ScannedReply,
  { turn, raw }: WrittenAction,
  repairs: ReadonlySet<Repair>,
): ReadAction {
  const { text, tools } = reply;
  const parsed = parseCompletion(`Action: ${raw}`, tools, { finishReason: 'stop' });
  const discarded = discardedFields(reply, turn);
  const common = { thought: thoughtOf(reply), discarded, repairs: [...repairs, ...parsed.repairs] };
  if (parsed.outcome === 'answer' || parsed.outcome === 'empty') return { ...parsed, ...common };
  if (parsed.outcome !== 'action') return { ...parsed, answer: text.trim(), discarded };
  return { ...parsed, ...common, action: { ...parsed.action, raw }, dialect: 'json', departs: true };
}

/** Returns the text of an action that is an object or a string that encodes one; null for anything else. */
export function writtenAction(
  { text, start, scanner }: ScannedReply,
  { first, ...turn }: ScannedField,
): string | null {
  const written =
    first === '"' ? scanner.strings.get('action') : text.slice(start + turn.start, start + (turn.end ?? 0));
  return first === '{' || written?.trimStart().startsWith('{') ? (written ?? '').trim() : null;
}
