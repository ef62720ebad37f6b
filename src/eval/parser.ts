import type { RecordedCall } from '../contract/recorded-step.js';
import type { Step } from '../contract/step.js';
import type { ToolDefinition } from '../contract/tool.js';
import { toOfferedTool } from '../parsing/arguments/offered-tool.js';
import { readNativeCall } from '../parsing/native-call.js';
import { parseCompletion } from '../parsing/parse-completion.js';
import { readSignatures } from '../parsing/segment/signatures.js';
import type { Reading } from './eval-report.js';

/** The functions of `stepwise/parsing` that parse a reply. A module with exports of the same names can replace them. */
export interface Parser {
  readonly parseCompletion: typeof parseCompletion;
  readonly readNativeCall: typeof readNativeCall;
  readonly toOfferedTool: typeof toOfferedTool;
  readonly readSignatures: typeof readSignatures;
}

export const ownParser: Parser = { parseCompletion, readNativeCall, toOfferedTool, readSignatures };

/** A reply, with the other facts that decide how it is parsed. */
export interface WrittenReply {
  readonly text: string;
  readonly calls: readonly RecordedCall[];
  /** True if the model called natively and only its text was saved. */
  readonly lacksCalls?: boolean;
  readonly tools: readonly (ToolDefinition & { readonly defer?: boolean | undefined })[];
  /** Free text that describes further tools. */
  readonly segment: string;
  readonly response: Pick<Step, 'finish_reason' | 'parse' | 'phase' | 'reasoning'>;
  readonly hasAnswerSchema: boolean;
  /** True if the client sent tool_choice `none`, so that the whole text is the answer. */
  readonly isPlain: boolean;
}

type Read = Pick<Reading, 'outcome' | 'calls' | 'thought' | 'answer'>;

/**
 * Returns the reason why a parser alone cannot parse a reply like the service, which also uses schemas, phases and
 * deferred tools; undefined if it can (rule: parser-only).
 */
export function whyNotAlone(reply: WrittenReply): string | undefined {
  const { parse, phase } = reply.response;
  if (reply.lacksCalls) return 'the native calls were not saved';
  if (reply.isPlain) return 'the reply is the answer as written';
  if (!parse || parse.outcome === 'refusal') return 'the model refused';
  if (parse.confidence === 'constrained') return 'the provider held the reply to a schema';
  if (reply.hasAnswerSchema) return 'the answer has a schema';
  if (phase === 'reason' || phase === 'observe') return `the phase ${phase} has no actions`;
  if (reply.tools.some(({ defer }) => defer)) return 'tools are deferred';
  return undefined;
}

/** Parses a reply with the given parser. Throws the errors that the parser throws. */
export function readWith(parser: Parser, reply: WrittenReply): Read {
  const { text, calls, tools, segment, response } = reply;
  const offered = [...tools.map((tool) => parser.toOfferedTool(tool)), ...parser.readSignatures(segment)];
  const finishReason = response.finish_reason ?? 'stop';
  if (calls.length > 0) {
    const readings = calls.map((call) => parser.readNativeCall(call, offered, { finishReason }));
    return fromNative(readings, text);
  }
  const { reasoning } = response;
  const { outcome, action, answer, thought, ...rest } = parser.parseCompletion(text, offered, {
    finishReason,
    reasoning,
  });
  const more = 'additionalActions' in rest ? (rest.additionalActions ?? []) : [];
  const actions = action ? [action, ...more] : [];
  return {
    outcome,
    answer,
    thought,
    calls: actions.map(({ toolName, toolArgs }) => ({ tool: toolName, args: toolArgs })),
  };
}

/** Combines the parsed native calls of one reply. The first call decides its outcome (rule: first-action-wins). */
function fromNative(readings: readonly ReturnType<typeof readNativeCall>[], text: string): Read {
  const outcome = readings[0]?.outcome ?? 'empty';
  const [first] = readings;
  const calls = readings.flatMap((each) =>
    each.outcome === 'action' ? [{ tool: each.toolName, args: each.toolArgs }] : [],
  );
  return {
    outcome,
    calls: outcome === 'action' ? calls : [],
    thought: text.trim() || null,
    answer: first?.outcome === 'answer' ? first.answer : null,
  };
}
