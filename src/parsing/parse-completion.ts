import { type OfferedTool, OfferedTools } from './arguments/offered-tool.js';
import { endsInCutCall } from './cut-call.js';
import type { CallReading, Dialect } from './dialects/written-call.js';
import { addUp, type Discarded, type DiscardedRun } from './discarded.js';
import { describeIntendedCall } from './intended-calls.js';
import type { TextSpan } from './outline/reply-outline.js';
import type { Pause } from './pause.js';
import { ReplyText } from './reply-text.js';
import { type ResolvedCall, type ResolveOptions, resolveCall } from './resolve-call.js';
import type { Marker } from './text/markers.js';
import type { JsonValue, Repair } from './text/scanner.js';
import { readBareCall, readBrokenCall, readClosingFence, readUnclosedReasoning } from './unmarked-calls.js';

/** A call that may be run: its tool is offered, and its arguments are valid. */
export interface ParsedAction {
  /** Name of the tool, as it was offered. */
  readonly toolName: string;
  /**
   * Arguments by parameter. Positional ones are named, and types are corrected where the schema allows only one
   * reading.
   */
  readonly toolArgs: Record<string, JsonValue>;
  /** The call as the model wrote it, without `Action: `. */
  readonly raw: string;
}

/** Fields of every parsed completion. */
export interface ParseCommon {
  /** The text before the action or the labelled answer, without labels (rule: thought-and-answer). */
  readonly thought: string | null;
  /** Reasoning in `<think>` or in the provider's own field; never a source of actions. */
  readonly reasoning: string | null;
  /** `repaired` if the parser fixed or assumed anything; `repairs` lists these. */
  readonly confidence: 'exact' | 'repaired';
  /** Repairs and assumptions of the parser, each kind once; empty if it made none. */
  readonly repairs: readonly Repair[];
  /** Characters that are in no field of the result, by kind. */
  readonly discarded: readonly Discarded[];
  /**
   * True if the model marked its answer: with `Final Answer:`, `<final_answer>` or the JSON key
   * `final_answer`.
   */
  readonly answerLabelled: boolean;
}

/** The outcome of a completion. Fields that an outcome does not have are null. */
export type ParsedOutcome = ParsedCall | ParsedAnswer | EmptyReply | UnreadableReply;

/** A completion with a call that may be run. */
export interface ParsedCall {
  /** Distinguishes this outcome from the others. */
  readonly outcome: 'action';
  /** The first call of the completion; text after it is discarded. */
  readonly action: ParsedAction;
  /** Further calls of the same block of a native format, in order; absent if there are none. */
  readonly additionalActions?: readonly ParsedAction[];
  /** The syntax in which the model wrote the call. */
  readonly dialect: Dialect;
  /** Always null: an action is not an answer. */
  readonly answer: null;
  /** Always null: repairs are listed in `repairs`. */
  readonly problem: null;
}

/** A completion that is an answer, labelled or not. */
export interface ParsedAnswer {
  /** Distinguishes this outcome from the others. */
  readonly outcome: 'answer';
  /** Always null: there is no call. */
  readonly action: null;
  /** Always null: there is no call. */
  readonly dialect: null;
  /** The text of the answer without its label and without white space around it; never empty. */
  readonly answer: string;
  /** Advice for the model if the answer resembles an intended action; else null (rule: closing-fence). */
  readonly problem: string | null;
}

/** A completion without an action and without an answer, such as an empty text or reasoning alone. */
export interface EmptyReply {
  /** Distinguishes this outcome from the others. */
  readonly outcome: 'empty';
  /** Always null: there is no call. */
  readonly action: null;
  /** Always null: there is no call. */
  readonly dialect: null;
  /** Always null: there is no text to answer with. */
  readonly answer: null;
  /** Always null: there is no call to give advice about. */
  readonly problem: null;
}

/** A completion with a call that must not run. */
export interface UnreadableReply {
  /**
   * `truncated` if the output limit cut the call off; `malformed_action` if it cannot be read; `unknown_tool` if no
   * such tool is offered.
   */
  readonly outcome: 'malformed_action' | 'unknown_tool' | 'truncated';
  /** Always null: no call may run. */
  readonly action: null;
  /** The syntax in which the model seems to have written the call. */
  readonly dialect: Dialect;
  /** The whole text, so that nothing the model wrote is lost. */
  readonly answer: string;
  /** Advice for the model: the fault of the action, and how to write it correctly. */
  readonly problem: string;
}

/** A parsed completion: one outcome, and the common fields. */
export type ParsedCompletion = ParseCommon & ParsedOutcome;

/** Facts about a completion besides its text. */
export interface ParseOptions {
  /** Reason why the provider ended the completion. After `length`, calls that may be incomplete never run. */
  readonly finishReason?: 'stop' | 'length' | 'tool' | 'refusal' | 'other';
  /** Reasoning from the provider's own field. */
  readonly reasoning?: string | null;
  /**
   * Whether the prompt asked the model to label its answers. If so, an answer without a label has the repair
   * `unlabelled_answer`. Default true; false for native tool calling.
   */
  readonly labelsExpected?: boolean;
}

/**
 * Characters of a reply from `start` up to `end`, and their use. `call`: the call as written. `answer`: also
 * a whole reply whose action could not be read. `discarded`: text in no field of the result.
 */
export interface ReplySpan {
  /** The field that the characters belong to. */
  readonly kind: 'reasoning' | 'thought' | 'call' | 'answer' | 'discarded';
  /** Offset of the first character, in UTF-16 code units. */
  readonly start: number;
  /** Offset after the last character, in UTF-16 code units. */
  readonly end: number;
}

/** An outcome, and the spans of its fields and of the discarded text. */
interface Found {
  readonly outcomeFields: ParsedOutcome & Pick<ParseCommon, 'thought'> & Partial<ParseCommon>;
  readonly places: readonly ReplySpan[];
  readonly leftOut: readonly DiscardedRun[];
}

/**
 * Parses a completion in any dialect. Never throws; every string has a result. The time is linear in the
 * length (rule: linear-work). `discarded` counts all text that is in no field of the result.
 */
export function parseCompletion(
  text: string,
  tools: readonly OfferedTool[],
  options: ParseOptions = {},
): ParsedCompletion {
  const offered = OfferedTools.of(tools);
  return toParsed(ReplyText.read(text, offered), offered, options);
}

/** Works as `parseCompletion`, but awaits `pause` between parts of the text. */
export async function parseCompletionPausing(
  text: string,
  tools: readonly OfferedTool[],
  options: ParseOptions,
  pause: Pause,
): Promise<ParsedCompletion> {
  const offered = OfferedTools.of(tools);
  return toParsed(await ReplyText.readPausing(text, offered, pause), offered, options);
}

function toParsed(reply: ReplyText, offered: OfferedTools, options: ParseOptions): ParsedCompletion {
  const { outcomeFields, leftOut } = findOutcome(reply, offered, options);
  const { repairs = [] } = outcomeFields;
  const confidence = repairs.length > 0 ? 'repaired' : 'exact';
  const reasoning = reply.reasoning();
  const discarded = addUp(leftOut);
  return addReasoning(
    { answerLabelled: false, ...outcomeFields, discarded, repairs, confidence, reasoning },
    options,
  );
}

/** Returns the spans of the fields in order; labels, wrapping and white space are between them. */
export function readSpans(
  text: string,
  tools: readonly OfferedTool[],
  options: ParseOptions = {},
): ReplySpan[] {
  const offered = OfferedTools.of(tools);
  const reply = ReplyText.read(text, offered);
  const { places, leftOut } = findOutcome(reply, offered, options);
  const dropped = leftOut.filter(({ chars }) => chars > 0);
  return inOrder([
    ...placesOf('reasoning', reply.reasoningSpans()),
    ...places,
    ...dropped.map(({ start, end }) => ({ kind: 'discarded', start, end }) as const),
  ]);
}

/** Puts the reasoning that the provider sent in a separate field before the reasoning in the text. */
export function addReasoning(parsed: ParsedCompletion, { reasoning }: ParseOptions): ParsedCompletion {
  const parts = [reasoning, parsed.reasoning].filter((part) => part?.trim());
  return { ...parsed, reasoning: parts.join('\n\n') || null };
}

function findOutcome(reply: ReplyText, tools: OfferedTools, options: ParseOptions): Found {
  const { turn, start } = reply.outline;
  const cutByLimit = options.finishReason === 'length';
  const limits = { cutByLimit, textLength: reply.end };
  if (turn.kind === 'answer') return labelledAnswer(reply, turn.marker);
  if (turn.kind === 'action') {
    return fromCall(reply, resolveAll(turn.reading, tools, limits), turn.at);
  }
  const bare = readBareCall(reply, tools);
  if (bare) return fromCall(reply, resolveAll(bare, tools, limits), start);
  const fenced = readClosingFence(reply, tools);
  if (fenced) return fromCall(reply, resolveAll(fenced.reading, tools, limits), fenced.at);
  const cut = readBrokenCall(reply, tools) ?? readUnclosedReasoning(reply, tools);
  if (cut) return fromCall(reply, resolveAll(cut, tools, limits), start);
  if (cutByLimit && endsInCutCall(reply, tools)) return unreadAction(reply, brokenOff);
  const advice = describeIntendedCall(reply, tools);
  return unlabelledAnswer(reply, advice, options.labelsExpected ?? true);
}

const brokenOff = {
  outcome: 'truncated',
  dialect: 'call',
  problem: 'the output limit cut the action off',
} as const;

/** The first call of a reply, the further calls of its block that may run, and those that cannot. */
interface ResolvedCalls {
  readonly call: ResolvedCall;
  readonly more: readonly ResolvedAction[];
  readonly lost: readonly DiscardedRun[];
}

type ResolvedAction = Extract<ResolvedCall, { outcome: 'action' }>;

/**
 * Checks the calls of a block against the offered tools. Further calls that cannot run are discarded (rule:
 * first-action-wins).
 */
function resolveAll(reading: CallReading, tools: OfferedTools, limits: ResolveOptions): ResolvedCalls {
  const call = resolveCall(reading, tools, limits);
  const others = call.outcome === 'action' ? call.more : [];
  const more = others.map((each) => resolveCall(each, tools, limits));
  const lost = others.filter((_, index) => more[index]?.outcome !== 'action');
  return {
    call,
    more: more.filter((each) => each.outcome === 'action'),
    lost: lost.map(({ start, end }) => ({ kind: 'action', start, end, chars: end - start })),
  };
}

const toAction = ({ text }: ReplyText, { toolName, toolArgs, start, end }: ResolvedAction): ParsedAction => ({
  toolName,
  toolArgs,
  raw: text.slice(start, end),
});

function fromCall(reply: ReplyText, { call, more, lost }: ResolvedCalls, at: number): Found {
  if (call.outcome !== 'action' && call.outcome !== 'answer') return unreadAction(reply, call);
  const { start, end } = { ...call, ...(call.outcome === 'action' && { end: call.blockEnd }) };
  const repairs = [...new Set([call, ...more].flatMap((each) => each.repairs))];
  const before = reply.thoughtBefore(at);
  const thought = [reply.textOf(before), call.thought].filter(Boolean).join('\n');
  const named = call.outcome === 'action' ? { name: call.toolName } : {};
  const leftOut = [...reply.leftOutAround(at, { start, end, ...named }), ...lost];
  const thoughtPlaces = placesOf('thought', before);
  if (call.outcome === 'answer') {
    const places = [...thoughtPlaces, { kind: 'answer', start, end } as const];
    return { outcomeFields: givenAnswer(call.answer.trim(), thought, repairs), leftOut, places };
  }
  const { dialect } = call;
  const additionalActions = more.map((each) => toAction(reply, each));
  return {
    outcomeFields: {
      outcome: 'action',
      action: toAction(reply, call),
      ...(additionalActions.length > 0 && { additionalActions }),
      dialect,
      answer: null,
      problem: null,
      thought,
      repairs,
    },
    leftOut,
    places: [...thoughtPlaces, ...placesOf('call', spansAround(lost, [start, end]))],
  };
}

/** Returns the parts of a block of calls that are around its lost calls. */
function spansAround(lost: readonly DiscardedRun[], [start, end]: TextSpan): TextSpan[] {
  const starts = [start, ...lost.map((run) => run.end)];
  return starts.map((from, index) => [from, lost[index]?.start ?? end]);
}

type UnreadCall = Exclude<ResolvedCall, { outcome: 'action' | 'answer' }>;

function unreadAction(reply: ReplyText, call: UnreadCall): Found {
  const whole = reply.whole();
  const answer = reply.textOf(whole) || (reply.reasoning() ?? '');
  return {
    outcomeFields: { ...call, action: null, thought: null, answer },
    leftOut: reply.leftOutOfAnswer(),
    places: placesOf('answer', whole),
  };
}

function labelledAnswer(reply: ReplyText, marker: Marker): Found {
  const answer = reply.answer(marker);
  const thought = reply.thoughtBefore(marker.start);
  return {
    outcomeFields: givenAnswer(reply.textOf(answer), reply.textOf(thought), []),
    leftOut: reply.leftOutOfAnswer(marker.start),
    places: [...placesOf('thought', thought), ...placesOf('answer', answer)],
  };
}

/** Builds an answer that the model labelled. */
function givenAnswer(answer: string, before: string, repairs: readonly Repair[]): Found['outcomeFields'] {
  const thought = before || null;
  if (answer === '') return { ...nothing, thought, repairs };
  return {
    outcome: 'answer',
    action: null,
    dialect: null,
    problem: null,
    answer,
    answerLabelled: true,
    thought,
    repairs,
  };
}

function unlabelledAnswer(reply: ReplyText, problem: string | null, labelsExpected: boolean): Found {
  const whole = reply.whole();
  const answer = reply.textOf(whole);
  const leftOut = reply.leftOutOfAnswer();
  if (answer === '') return { outcomeFields: nothing, leftOut, places: [] };
  const repairs: Repair[] = labelsExpected ? ['unlabelled_answer'] : [];
  return {
    outcomeFields: {
      outcome: 'answer',
      action: null,
      dialect: null,
      answer,
      problem,
      thought: null,
      repairs,
    },
    leftOut,
    places: placesOf('answer', whole),
  };
}

const nothing = {
  outcome: 'empty',
  action: null,
  dialect: null,
  answer: null,
  problem: null,
  thought: null,
} as const;

/** Makes each span of the text a span of the given kind. */
const placesOf = (kind: ReplySpan['kind'], spans: readonly TextSpan[]): ReplySpan[] =>
  spans.map(([start, end]) => ({ kind, start, end }));

/** Orders spans and removes overlaps: the span that begins first keeps the text. */
function inOrder(spans: readonly ReplySpan[]): ReplySpan[] {
  const ordered: ReplySpan[] = [];
  let done = 0;
  for (const { kind, start, end } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const from = Math.max(start, done);
    if (from >= end) continue;
    ordered.push({ kind, start: from, end });
    done = end;
  }
  return ordered;
}
