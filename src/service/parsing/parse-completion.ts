import { type OfferedTool, OfferedTools } from './arguments/offered-tool.js';
import { type ResolvedCall, resolveCall } from './arguments/resolve-call.js';
import { readBracket } from './dialects/bracket.js';
import { readCall } from './dialects/call.js';
import { readJsonCall } from './dialects/json-object.js';
import type { CallReading, Dialect } from './dialects/written-call.js';
import { type Discarded, describeDiscarded } from './discarded.js';
import { Reply } from './reply.js';
import { matchMarker } from './text/markers.js';
import type { JsonValue, Repair } from './text/scanner.js';

export interface ParsedAction {
  readonly toolName: string;
  readonly toolArgs: Record<string, JsonValue>;
  /** The call as the model wrote it, without `Action: `. */
  readonly raw: string;
}

interface Common {
  readonly thought: string | null;
  /** What the model thought in `<think>` or in the provider's own field. */
  readonly reasoning: string | null;
  readonly confidence: 'exact' | 'repaired';
  readonly repairs: readonly Repair[];
  /** What was read but is in no field, by kind, in characters. */
  readonly discarded: readonly Discarded[];
  /** The answer stood under `Final Answer:` or in `<final_answer>`. */
  readonly answerLabelled: boolean;
}

/** What became of the text, by outcome (SPEC §3 `parse`, §4.3). */
type Outcome =
  | {
      readonly outcome: 'action';
      readonly action: ParsedAction;
      readonly dialect: Dialect;
      readonly answer: null;
      readonly problem: null;
    }
  | {
      readonly outcome: 'answer';
      readonly action: null;
      readonly dialect: null;
      readonly answer: string;
      readonly problem: null;
    }
  | {
      readonly outcome: 'empty';
      readonly action: null;
      readonly dialect: null;
      readonly answer: null;
      readonly problem: null;
    }
  | {
      readonly outcome: 'malformed_action' | 'unknown_tool' | 'truncated';
      readonly action: null;
      readonly dialect: Dialect;
      /** The whole text: nothing the model wrote is lost. */
      readonly answer: string;
      /** Words the model can use to write the action right. */
      readonly problem: string;
    };

export type ParsedCompletion = Common & Outcome;

export interface ParseOptions {
  readonly finishReason?: 'stop' | 'length' | 'tool' | 'refusal' | 'other';
  /** Reasoning that the provider sent in a field of its own. */
  readonly reasoning?: string | null;
}

type Found = Outcome & Partial<Common> & Pick<Common, 'thought'>;

/**
 * Reads a completion in any dialect (SPEC §7). Total: every string has a result, in time linear in its
 * length, and what is not in a field of the result is counted in `discarded`.
 */
export function parseCompletion(
  text: string,
  tools: readonly OfferedTool[],
  options: ParseOptions = {},
): ParsedCompletion {
  const offered = new OfferedTools(tools);
  const reply = new Reply(text, offered);
  const found = findOutcome(reply, offered, options.finishReason === 'length');
  const reasoning = [options.reasoning, reply.reasoning()].filter((part) => part?.trim()).join('\n\n');
  const repairs = found.repairs ?? [];
  return {
    discarded: [],
    answerLabelled: false,
    ...found,
    repairs,
    confidence: repairs.length > 0 ? 'repaired' : 'exact',
    reasoning: reasoning || null,
  };
}

function findOutcome(reply: Reply, tools: OfferedTools, cutByLimit: boolean): Found {
  const { turn } = reply.outline;
  const limits = { cutByLimit, textLength: reply.end };
  if (turn.kind === 'answer') return labelledAnswer(reply, turn.marker);
  if (turn.kind === 'action') {
    return fromCall(reply, resolveCall(turn.reading, tools, limits), turn.at);
  }
  const bare = readBareCall(reply, tools);
  if (bare) return fromCall(reply, resolveCall(bare, tools, limits), reply.outline.start);
  if (cutByLimit && endsInAction(reply)) {
    return unreadAction(reply, {
      outcome: 'truncated',
      dialect: 'call',
      problem: 'the output limit cut the action off',
    });
  }
  return unlabelledAnswer(reply);
}

function fromCall(reply: Reply, call: ResolvedCall, at: number): Found {
  if (call.outcome !== 'action') return unreadAction(reply, call);
  const { toolName, toolArgs, repairs, dialect, start, end } = call;
  return {
    outcome: 'action',
    action: { toolName, toolArgs, raw: reply.text.slice(start, end) },
    dialect,
    answer: null,
    problem: null,
    thought: reply.thoughtBefore(at),
    repairs,
    discarded: describeDiscarded(reply.text, end),
  };
}

function unreadAction(reply: Reply, call: Exclude<ResolvedCall, { outcome: 'action' }>): Found {
  return { ...call, action: null, thought: null, answer: reply.whole(), discarded: stopped(reply) };
}

function labelledAnswer(reply: Reply, marker: Parameters<Reply['answer']>[0]): Found {
  const answer = reply.answer(marker);
  const { thought, preamble } = reply.labelledThought(marker.start);
  const discarded: Discarded[] = [
    ...(preamble > 0 ? [{ kind: 'preamble', chars: preamble } as const] : []),
    ...stopped(reply),
  ];
  if (answer === '') return { ...nothing, thought, discarded };
  return {
    outcome: 'answer',
    action: null,
    dialect: null,
    answer,
    answerLabelled: true,
    problem: null,
    thought,
    discarded,
  };
}

function unlabelledAnswer(reply: Reply): Found {
  const answer = reply.whole();
  const discarded = stopped(reply);
  if (answer === '') return { ...nothing, thought: null, discarded };
  return { outcome: 'answer', action: null, dialect: null, answer, problem: null, thought: null, discarded };
}

const nothing = { outcome: 'empty', action: null, dialect: null, answer: null, problem: null } as const;

function stopped(reply: Reply): Discarded[] {
  return reply.stop > 0 ? [{ kind: 'stop', chars: reply.stop }] : [];
}

/** A call without any marker that is the whole text, names an offered tool and needs no repair (SPEC §7.12). */
function readBareCall(reply: Reply, tools: OfferedTools): CallReading | null {
  if (reply.outline.thoughts.length > 0) return null;
  const text = reply.text.slice(0, reply.contentEnd()).trimEnd();
  const start = reply.contentStart();
  const reading =
    readCall(text, start, tools) ?? readBracket(text, start, tools) ?? readJsonCall(text, start);
  if (reading?.kind !== 'call' || !tools.find(reading.name) || reading.repairs.length > 0) return null;
  const end = text.charAt(reading.end) === ';' ? reading.end + 1 : reading.end;
  if (end < text.length) return null;
  return reading.dialect === 'json' ? reading : { ...reading, dialect: 'bare' };
}

/** The text breaks off within `Action: name`. */
function endsInAction(reply: Reply): boolean {
  const line = reply.text.slice(reply.text.lastIndexOf('\n', reply.end - 1) + 1, reply.end);
  const marker = matchMarker(line, 0);
  return (
    marker !== null &&
    marker !== 'partial' &&
    marker.label === 'action' &&
    !/\s/.test(line.slice(marker.end).trim())
  );
}
