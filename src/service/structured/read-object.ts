import type { OfferedTool } from '../parsing/arguments/offered-tool.js';
import { addUp, type Discarded } from '../parsing/discarded.js';
import { type ParsedCompletion, type ParseOptions, parseInSlices } from '../parsing/parse-completion.js';
import type { Sliced } from '../parsing/slices.js';
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

/** What a scanned object says (rule: object-reply). Never throws. Its parts are read in slices. */
export function* readObject(reply: ScannedReply, options: ParseOptions): Sliced<ObjectReading> {
  const { before, scanner } = reply;
  const { departs = false, ...found } = yield* findIn(reply, options);
  const prose = acts(found) ? proseAfter(reply.text, endOf(reply)) : null;
  if (prose !== null) return yield* readExample(reply, prose, options);
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
  return { completion, isWhole: isAlone && repairs.length === 0 && !departs && isTaught(reply) };
}

/** Nothing stands in the object but a thought and one outcome, or a phase's control. */
function isTaught(reply: ScannedReply): boolean {
  const keys = reply.scanner.fields.map(({ key }) => key).filter((key) => key !== 'thought');
  return isControl(reply) || (keys.length === 1 && (keys[0] === 'action' || keys[0] === 'final_answer'));
}

/** A completion of which it is known whether it departs from the schema that it may have been held to. */
type Found = ParsedCompletion & { readonly departs?: boolean };

function* findIn(reply: ScannedReply, options: ParseOptions): Sliced<Found> {
  if (isControl(reply)) return isCut(reply, options) ? readCutControl(reply) : asText(reply);
  return (yield* findOutcome(reply, options)) ?? (yield* readOtherwise(reply, options));
}

const acts = ({ outcome }: ParsedCompletion): boolean =>
  outcome === 'action' || outcome === 'malformed_action' || outcome === 'unknown_tool';

/** An action in an object that prose follows was only shown: what comes of the reply is in the rest (rule: closing-fence). */
function* readExample(reply: ScannedReply, prose: number, options: ParseOptions): Sliced<ObjectReading> {
  const { text, start, before, tools } = reply;
  const rest = yield* parseInSlices(text.slice(prose), tools, options);
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

const isCut = ({ scanner }: ScannedReply, { finishReason }: ParseOptions): boolean =>
  scanner.end === null && finishReason === 'length';

/** The answer so far, where the limit cut it off and nothing says that the run goes on. */
function readCutControl(reply: ScannedReply): ParsedCompletion {
  const { fields, strings } = reply.scanner;
  const ends = fields.some(({ key, first }) => key === 'should_continue' && first === 'f');
  const answer = reply.phase === 'observe' && ends ? strings.get('final_answer')?.trim() : '';
  return answer ? answered(reply, answer) : cutByLimit(reply, thoughtOf(reply));
}

/** The first of action and answer that says anything. */
function* findOutcome(reply: ScannedReply, options: ParseOptions): Sliced<Found | undefined> {
  const turn = outcomesOf(reply)[0];
  if (!turn) return undefined;
  const nested = nestedAnswer(reply, turn);
  if (nested !== null) return answered(reply, nested, turn);
  const answer = reply.scanner.strings.get('final_answer')?.trim();
  if (turn.key === 'final_answer') return answer === undefined ? undefined : answered(reply, answer, turn);
  const raw = writtenAction(reply, turn);
  return raw === null ? undefined : yield* readAction(reply, { turn, raw }, options);
}

/** The text of an action that is an object, or the text of one; null for anything else. */
function writtenAction(
  { text, start, scanner }: ScannedReply,
  { first, ...turn }: ScannedField,
): string | null {
  const written =
    first === '"' ? scanner.strings.get('action') : text.slice(start + turn.start, start + (turn.end ?? 0));
  return first === '{' || written?.trimStart().startsWith('{') ? (written ?? '').trim() : null;
}

type Outcomes = Pick<ScannedReply, 'scanner' | 'text' | 'start' | 'tools'>;

/** Fields that may decide the reply: those that say anything, or all where none does. */
export function outcomesOf(reply: Outcomes): ScannedField[] {
  const given = reply.scanner.fields.filter(
    ({ key, first }) => (key === 'action' || key === 'final_answer') && first !== 'n',
  );
  const spoken = given.filter((field) => !saysNothing(reply, field));
  return spoken.length > 0 ? spoken : given;
}

/** No answer, or no action: an empty value, or a word for none in place of the tool. */
function saysNothing(reply: Outcomes, { key, first, start, end }: ScannedField): boolean {
  const { strings } = reply.scanner;
  const said = strings.get(key);
  if (first === '"' && said !== undefined) return key === 'action' ? isNone(reply, said) : said.trim() === '';
  if (first === 'f') return true;
  if (end === null) return false;
  const written = reply.text.slice(reply.start + start, reply.start + end);
  if (/^(?:\{\s*\}|\[\s*\])\s*$/.test(written)) return true;
  if (first !== '{' || key !== 'action' || strings.get('action.final_answer')?.trim()) return false;
  const tool = toolNamed(strings);
  return tool === null ? /"tool"\s{0,64}:\s{0,64}(?:null|false)\b/.test(written) : isNone(reply, tool.name);
}

/** Words for no action, unless a tool is called so. */
function isNone({ tools }: Outcomes, written: string): boolean {
  const word = written.trim();
  return /^(?:|-|none|null|n\/?a|no[ _]action)$/i.test(word) && tools.every(({ name }) => name !== word);
}

/** The tool that an action names, and its place among the strings. */
function toolNamed(strings: ObjectScanner['strings']): { name: string; place: number } | null {
  const paths = [...strings.keys()];
  const place = paths.findIndex((path) => toolPaths.has(path));
  const name = strings.get(paths[place] ?? '');
  return name === undefined ? null : { name, place };
}

const toolPaths: ReadonlySet<string> = new Set(['action.tool', 'action.name', 'action.tool_name']);

/** The answer that stands under `action`; null where that is an action: of a tool and an answer there the first counts. */
export function nestedAnswer(
  reply: Pick<Outcomes, 'scanner' | 'tools' | 'text' | 'start'>,
  { key }: ScannedField,
): string | null {
  const { strings } = reply.scanner;
  const answer = key === 'action' ? strings.get('action.final_answer')?.trim() : undefined;
  if (answer === undefined) return null;
  const tool = toolNamed(strings);
  if (!tool || isNone(reply, tool.name)) return answer;
  return answer !== '' && [...strings.keys()].indexOf('action.final_answer') < tool.place ? answer : null;
}

function answered(reply: ScannedReply, answer: string, turn?: ScannedField): ParsedCompletion {
  const thought = thoughtOf(reply);
  const said = { ...reply.before, ...noAction, discarded: discardedFields(reply, turn), thought };
  return answer === ''
    ? { ...said, outcome: 'empty', answer: null }
    : { ...said, outcome: 'answer', answer, answerLabelled: true };
}

/** What is neither the thought nor the outcome. */
function discardedFields(reply: ScannedReply, turn: ScannedField | undefined): Discarded[] {
  const length = endOf(reply) - reply.start;
  const { fields } = reply.scanner;
  const outcomes = new Set(outcomesOf(reply).map(({ start }) => start));
  const thought = fields.find(({ key }) => key === 'thought');
  const others = fields.filter(
    ({ key, first, start }) =>
      first !== 'n' &&
      start !== turn?.start &&
      start !== thought?.start &&
      (outcomes.has(start) || (key !== 'action' && key !== 'final_answer')),
  );
  return others.map(({ key, start, end }) => ({ kind: kindOf(key), chars: (end ?? length) - start }));
}

function kindOf(key: string): Discarded['kind'] {
  if (key === 'final_answer') return 'answer';
  return key === 'action' || key === 'thought' ? key : 'text';
}

/** What was said before the object, and in it. */
function thoughtOf({ before, scanner }: ScannedReply): string | null {
  return [before.answer, scanner.strings.get('thought')?.trim()].filter(Boolean).join('\n') || null;
}

function* readAction(
  reply: ScannedReply,
  { turn, raw }: { readonly turn: ScannedField; readonly raw: string },
  options: ParseOptions,
): Sliced<Found> {
  if (turn.end === null) return cutOff(reply, options);
  const { text, tools } = reply;
  const meant = meantCall(raw, reply);
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
function meantCall(raw: string, { restoreArguments }: ScannedReply): MeantCall | null {
  const scanner = new Scanner(raw, 0);
  const value = readValue(scanner);
  if (scanner.repairs.has('duplicate_key')) return null;
  const { tool, args = {}, final_answer: answer, ...others } = isRecord(value) ? value : {};
  if (typeof tool !== 'string' || Object.keys(others).length > 0)
    return { call: raw, repairs: [], departs: true };
  const meant = restoreArguments(tool, args);
  const asWritten = answer === undefined ? raw : JSON.stringify({ name: tool, arguments: args });
  const call = meant === undefined ? asWritten : JSON.stringify({ name: tool, arguments: meant });
  return { call, repairs: [...scanner.repairs], departs: meant === undefined || answer !== undefined };
}

/** The text ended within the action. */
function cutOff(reply: ScannedReply, { finishReason }: ParseOptions): ParsedCompletion {
  if (finishReason === 'length') return cutByLimit(reply, thoughtOf(reply));
  return malformed(reply, 'the JSON object is not closed');
}

/** The output limit ended the text within an object. */
export function cutByLimit(
  { text, before }: Pick<ScannedReply, 'text' | 'before'>,
  thought: string | null,
): ParsedCompletion {
  const problem = 'the output limit cut the action off';
  return {
    ...before,
    ...noAction,
    outcome: 'truncated',
    dialect: 'json',
    problem,
    answer: text.trim(),
    thought,
  };
}

function malformed({ text, before }: ScannedReply, problem: string): ParsedCompletion {
  const answer = text.trim();
  return {
    ...before,
    ...noAction,
    outcome: 'malformed_action',
    dialect: 'json',
    problem,
    answer,
    thought: null,
  };
}

/** No action and no answer of the taught form: the object as another dialect reads it, or its thought. */
function* readOtherwise(reply: ScannedReply, options: ParseOptions): Sliced<ParsedCompletion> {
  const { text, start, scanner, tools } = reply;
  if (isCut(reply, options)) return cutOff(reply, options);
  const parsed = yield* parseInSlices(text.slice(start, endOf(reply)), tools, options);
  if (parsed.outcome !== 'answer' || parsed.answerLabelled || !scanner.strings.has('thought'))
    return { ...parsed, thought: thoughtBeside(reply, parsed) };
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

/** An action or an answer in another form keeps the thought beside it. */
function thoughtBeside(reply: ScannedReply, parsed: ParsedCompletion): string | null {
  if (parsed.outcome === 'action' || parsed.answerLabelled) return thoughtOf(reply);
  return [reply.before.answer, parsed.thought].filter(Boolean).join('\n') || null;
}

const noOutcome = 'the object holds neither "action" nor "final_answer"';

function repairsOf(reply: ScannedReply): Repair[] {
  const { scanner } = reply;
  return [
    ...(scanner.end === null ? (['missing_close'] as const) : []),
    ...(scanner.hasInnerQuotes ? (['inner_quotes'] as const) : []),
    ...(scanner.repeats ? (['duplicate_key'] as const) : []),
    ...(outcomesOf(reply).length > 1 || holdsBoth(reply) ? (['second_outcome'] as const) : []),
  ];
}

/** An action and an answer stand under `action`. */
function holdsBoth(reply: ScannedReply): boolean {
  const { strings } = reply.scanner;
  const tool = toolNamed(strings);
  return Boolean(strings.get('action.final_answer')?.trim()) && tool !== null && !isNone(reply, tool.name);
}
