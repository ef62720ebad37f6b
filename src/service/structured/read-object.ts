import type { OfferedTool } from '../parsing/arguments/offered-tool.js';
import { addUp, type Discarded } from '../parsing/discarded.js';
import { type ParsedCompletion, type ParseOptions, parseCompletion } from '../parsing/parse-completion.js';
import { readValue } from '../parsing/text/literals.js';
import { type JsonValue, type Repair, Scanner } from '../parsing/text/scanner.js';
import { discardedAfter, proseAfter } from './after-object.js';
import { isRecord } from './image.js';
import type { ObjectScanner, ScannedField } from './object-scanner.js';

/**
 * What the model meant by the arguments that it wrote for a tool; undefined where they are none of the schema, so that
 * it was not held to it and meant what it wrote.
 */
export type RestoreArguments = (tool: string, value: JsonValue) => JsonValue | undefined;

export interface ObjectReading {
  readonly completion: ParsedCompletion;
  /** The reply is the object that was asked for: nothing is missing, mended, or around it. */
  readonly isWhole: boolean;
  /** What the thought goes on with where the object was only an example. */
  readonly furtherThought?: string | null;
}

/** A reply that holds an object, scanned. */
export interface ScannedReply {
  readonly text: string;
  /** Where the object begins. */
  readonly start: number;
  readonly scanner: ObjectScanner;
  readonly before: ParsedCompletion;
  readonly tools: readonly OfferedTool[];
  readonly restoreArguments: RestoreArguments;
  readonly phase: 'reason' | 'observe' | undefined;
}

/** What a scanned object says (rule: object-reply). Never throws. */
export function readObject(reply: ScannedReply, options: ParseOptions): ObjectReading {
  const { before, scanner } = reply;
  const { departs = false, ...found } = findIn(reply, options);
  const prose = acts(found) ? proseAfter(reply.text, endOf(reply)) : null;
  if (prose !== null) return readExample(reply, prose, options);
  const reasoning = [options.reasoning, before.reasoning].filter((part) => part?.trim()).join('\n\n') || null;
  const around = addUp([...before.discarded, ...discardedAfter(reply.text, endOf(reply))]);
  const repairs = [...new Set([...found.repairs, ...repairsOf(reply)])];
  const confidence = repairs.length > 0 ? 'repaired' : 'exact';
  const completion = {
    ...found,
    reasoning,
    repairs,
    confidence,
    discarded: addUp([...found.discarded, ...around]),
  } as const;
  const isAlone =
    scanner.end === reply.text.trim().length &&
    reply.text.trimStart().length === reply.text.length - reply.start;
  return { completion, isWhole: isAlone && repairs.length === 0 && !departs };
}

/** A completion of which it is known whether it departs from the schema that it may have been held to. */
type Found = ParsedCompletion & { readonly departs?: boolean };

function findIn(reply: ScannedReply, options: ParseOptions): Found {
  if (isControl(reply)) return asText(reply);
  return findOutcome(reply, options) ?? readOtherwise(reply, options);
}

const acts = ({ outcome }: ParsedCompletion): boolean =>
  outcome === 'action' || outcome === 'malformed_action' || outcome === 'unknown_tool';

/** An action in an object that prose follows was only shown: what comes of the reply is in the rest (rule: closing-fence). */
function readExample(reply: ScannedReply, prose: number, options: ParseOptions): ObjectReading {
  const { text, start, before, tools } = reply;
  const rest = parseCompletion(text.slice(prose), tools, options);
  const reasoning = [before.reasoning, rest.reasoning].filter(Boolean).join('\n\n') || null;
  if (rest.outcome !== 'action' && !rest.answerLabelled) {
    const answer = text.trim();
    const said = { ...before, ...noAction, ...shown, outcome: 'answer', answer, thought: null } as const;
    return { completion: { ...said, reasoning }, isWhole: false };
  }
  const thought = [thoughtOf(reply), rest.thought].filter(Boolean).join('\n') || null;
  const left: Discarded = { kind: 'action', chars: endOf(reply) - start };
  const discarded = addUp([...before.discarded, left, ...rest.discarded]);
  const completion = { ...rest, thought, reasoning, discarded };
  return { completion, isWhole: false, furtherThought: rest.thought };
}

const shown = {
  confidence: 'repaired',
  repairs: ['unlabelled_answer'],
  problem:
    'if you meant to act, write the object by itself: text follows the one with an action, so it was taken for an example',
} as const;

const endOf = ({ text, start, scanner: { end } }: ScannedReply): number =>
  end === null ? text.length : start + end;

function isControl({ phase, scanner }: ScannedReply): boolean {
  const keys = phase && controlKeys[phase];
  return keys !== undefined && scanner.fields.some(({ key }) => keys.includes(key));
}

/** The keys that only a control object has. */
const controlKeys: Readonly<Record<'reason' | 'observe', readonly string[]>> = {
  reason: ['plan', 'tools_to_consider', 'finish'],
  observe: ['observation', 'should_continue'],
};

const noAction = {
  action: null,
  dialect: null,
  answerLabelled: false,
  discarded: [],
  repairs: [],
  problem: null,
} as const;

/** The phase reads its control in the text itself. */
function asText({ text, before }: ScannedReply): ParsedCompletion {
  return { ...before, ...noAction, outcome: 'answer', answer: text.trim(), thought: null };
}

/** The first of action and answer that says anything. */
function findOutcome(reply: ScannedReply, options: ParseOptions): Found | undefined {
  const turn = outcomesOf(reply)[0];
  if (!turn) return undefined;
  const { strings } = reply.scanner;
  const isNested = turn.key === 'action' && strings.has('action.final_answer') && !strings.has('action.tool');
  const answer = strings.get(isNested ? 'action.final_answer' : 'final_answer')?.trim();
  if ((turn.key === 'final_answer' || isNested) && answer !== undefined) return answered(reply, answer);
  return turn.key === 'action' && turn.first === '{' ? readAction(reply, turn, options) : undefined;
}

/** Fields that may decide the reply: not null, and no empty answer beside an action. */
export function outcomesOf({ scanner: { fields, strings } }: Pick<ScannedReply, 'scanner'>): ScannedField[] {
  const given = fields.filter(
    ({ key, first }) => (key === 'action' || key === 'final_answer') && first !== 'n',
  );
  const spoken = given.filter(({ key }) => key === 'action' || strings.get('final_answer')?.trim() !== '');
  return spoken.length > 0 ? spoken : given;
}

function answered(reply: ScannedReply, answer: string): ParsedCompletion {
  const thought = thoughtOf(reply);
  const said = { ...reply.before, ...noAction, discarded: discardedOutcomes(reply), thought };
  return answer === ''
    ? { ...said, outcome: 'empty', answer: null }
    : { ...said, outcome: 'answer', answer, answerLabelled: true };
}

/** What came after the first outcome. */
function discardedOutcomes(reply: ScannedReply): Discarded[] {
  const length = endOf(reply) - reply.start;
  return outcomesOf(reply)
    .slice(1)
    .map(({ key, start, end }) => ({
      kind: key === 'action' ? 'action' : 'answer',
      chars: (end ?? length) - start,
    }));
}

/** What was said before the object, and in it. */
function thoughtOf({ before, scanner }: ScannedReply): string | null {
  return [before.answer, scanner.strings.get('thought')?.trim()].filter(Boolean).join('\n') || null;
}

function readAction(reply: ScannedReply, field: ScannedField, options: ParseOptions): Found {
  if (field.end === null) return cutOff(reply, options);
  const { text, start, tools } = reply;
  const raw = text.slice(start + field.start, start + field.end).trim();
  const { call, repairs, departs } = meantCall(raw, reply);
  const parsed = parseCompletion(`Action: ${call}`, tools, { finishReason: 'stop' });
  const discarded = discardedOutcomes(reply);
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

/** The call with the arguments that were meant; as it is written if it is not of the taught form. */
function meantCall(raw: string, { restoreArguments }: ScannedReply): MeantCall {
  const scanner = new Scanner(raw, 0);
  const value = readValue(scanner);
  const { tool, args = {}, ...others } = isRecord(value) ? value : {};
  if (typeof tool !== 'string' || Object.keys(others).length > 0)
    return { call: raw, repairs: [], departs: true };
  const meant = restoreArguments(tool, args);
  const call = meant === undefined ? raw : JSON.stringify({ name: tool, arguments: meant });
  return { call, repairs: [...scanner.repairs], departs: meant === undefined };
}

/** The text ended within the action. */
function cutOff(reply: ScannedReply, { finishReason }: ParseOptions): ParsedCompletion {
  const isLimit = finishReason === 'length';
  return {
    ...reply.before,
    ...noAction,
    outcome: isLimit ? 'truncated' : 'malformed_action',
    dialect: 'json',
    problem: isLimit ? 'the output limit cut the action off' : 'the JSON object is not closed',
    answer: reply.text.trim(),
    thought: isLimit ? thoughtOf(reply) : null,
  };
}

/** No action and no answer of the taught form: the object as another dialect reads it, or its thought. */
function readOtherwise(reply: ScannedReply, options: ParseOptions): ParsedCompletion {
  const { text, start, scanner, tools, before } = reply;
  if (scanner.end === null && options.finishReason === 'length') return cutOff(reply, options);
  const parsed = parseCompletion(text.slice(start, endOf(reply)), tools, options);
  if (parsed.outcome !== 'answer' || parsed.answerLabelled || !scanner.strings.has('thought'))
    return { ...parsed, thought: [before.answer, parsed.thought].filter(Boolean).join('\n') || null };
  const said = answered(reply, thoughtOf(reply) ?? '');
  if (said.outcome !== 'answer') return { ...said, thought: null };
  return {
    ...said,
    thought: null,
    answerLabelled: false,
    repairs: ['unlabelled_answer'],
    problem: noOutcome,
  };
}

const noOutcome = 'the object holds neither "action" nor "final_answer"';

function repairsOf(reply: ScannedReply): Repair[] {
  const { scanner } = reply;
  return [
    ...(scanner.end === null ? (['missing_close'] as const) : []),
    ...(scanner.repeats ? (['duplicate_key'] as const) : []),
    ...(outcomesOf(reply).length > 1 ? (['second_outcome'] as const) : []),
  ];
}
