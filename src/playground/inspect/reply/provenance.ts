import {
  type OfferedTool,
  parseCompletion,
  readSignatures,
  readSpans,
  toOfferedTool,
} from '../../../parsing/index.js';
import type { Parse, Step, StepRequestInput } from '../../../sdk/index.js';

/** Meaning of a fragment of a completion for the parser. `markup` is syntax: labels, fences and white space. */
export type FragmentKind = 'reasoning' | 'thought' | 'call' | 'answer' | 'discarded' | 'markup';

/** A fragment of a completion; all fragments joined are the completion. */
export interface ReplyFragment {
  readonly kind: FragmentKind;
  readonly text: string;
}

/** The completion in fragments, and whether parsing it on the page agrees with the service. */
export interface Provenance {
  readonly pieces: readonly ReplyFragment[];
  /** Null if the page's parser agrees with the service; otherwise the page's outcome. */
  readonly otherwise: Parse['outcome'] | null;
}

type Reply = Pick<
  Step,
  'completion_text' | 'finish_reason' | 'parse' | 'phase' | 'thought' | 'direct_response'
>;

/** Parses the completion with the service's parser and the step's tools (rule: thought-and-answer). */
export function provenanceOf(reply: Reply, request: StepRequestInput): Provenance {
  const text = reply.completion_text ?? '';
  if (reply.phase === 'reason' || reply.phase === 'observe') return provenanceOfProse(text, reply);
  if (reply.parse?.dialect === 'native') return { pieces: whole(text, 'thought'), otherwise: null };
  const tools = [...offeredTools(request), ...readSignatures(request.available_tools_prompt_segment ?? '')];
  const options = { finishReason: reply.finish_reason ?? 'stop' } as const;
  const { outcome, thought } = parseCompletion(text, tools, options);
  return {
    pieces: piecesOf(text, readSpans(text, tools, options)).flatMap((piece) => thoughtApart(piece, thought)),
    otherwise: isSame(outcome, reply.parse?.outcome) ? null : outcome,
  };
}

/**
 * Returns the defined tools as the step offered them: deferred tools are withheld until the history contains their
 * definitions.
 */
function offeredTools({ tools, conversation_history: history }: StepRequestInput): OfferedTool[] {
  const defined = tools ?? [];
  const found = new Set(history.flatMap((turn) => turn.tool_definitions ?? []).map(({ name }) => name));
  const offered = defined.map((tool) => {
    const known = toOfferedTool({ ...tool, inputSchema: tool.inputSchema ?? {} });
    return tool.defer && !found.has(tool.name) ? { ...known, withheld: 'is deferred' } : known;
  });
  return defined.some(({ defer }) => defer)
    ? [...offered, { name: 'find_tools', parameters: ['query'] }]
    : offered;
}

/** Splits off the thought if a JSON object contains it beside the call or the answer (rule: step-object). */
function thoughtApart(piece: ReplyFragment, thought: string | null): readonly ReplyFragment[] {
  const { kind, text } = piece;
  if ((kind !== 'call' && kind !== 'answer') || !text.startsWith('{')) return [piece];
  const [start, end] = thoughtIn(text) ?? [];
  if (start === undefined || !isPartOf(thought, `"${text.slice(start, end)}"`)) return [piece];
  return [
    ...whole(text.slice(0, start), kind),
    ...whole(text.slice(start, end), 'thought'),
    ...whole(text.slice(end), kind),
  ];
}

/** Matches the tokens that determine the nesting depth in JSON: strings and brackets. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
/** Matches the colon and the string value that follow a key. */
const STRING_VALUE = /(\s*:\s*")((?:[^"\\]|\\.)+)"/sy;

/** Finds the string under the object's own key `thought`; ignores a `thought` among a call's arguments. */
function thoughtIn(object: string): readonly [number, number] | undefined {
  let depth = 0;
  for (const { 0: token, index } of object.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && token === '"thought"') {
      STRING_VALUE.lastIndex = index + token.length;
      const [, before = '', value] = STRING_VALUE.exec(object) ?? [];
      const start = index + token.length + before.length;
      if (value !== undefined) return [start, start + value.length];
    }
  }
  return undefined;
}

/** Reports whether the parsed thought contains the text of a JSON string. */
function isPartOf(thought: string | null, json: string): boolean {
  try {
    return thought?.includes(String(JSON.parse(json)).trim()) ?? false;
  } catch {
    return false;
  }
}

/**
 * Splits a reply of the phases `reason` and `observe`, in which the service reads no action, only prose and a
 * control block (rule: phases).
 */
function provenanceOfProse(text: string, { thought, direct_response }: Reply): Provenance {
  const prose = thought ?? direct_response ?? '';
  const start = prose === '' ? -1 : text.indexOf(prose);
  const kind = thought === null ? 'answer' : 'thought';
  const spans = start < 0 ? [] : [{ kind, start, end: start + prose.length } as const];
  return { pieces: piecesOf(text, spans), otherwise: null };
}

/**
 * Reports whether two outcomes agree. The page's parser does not know about limits and refusals: an action after the
 * last iteration agrees with `action`, and a refusal agrees with every outcome.
 */
const isSame = (here: string, there: string | undefined): boolean =>
  here === there ||
  there === undefined ||
  (there === 'action_after_limit' && here === 'action') ||
  there === 'refusal';

function piecesOf(
  text: string,
  spans: readonly { readonly kind: FragmentKind; readonly start: number; readonly end: number }[],
): ReplyFragment[] {
  const pieces: ReplyFragment[] = [];
  let done = 0;
  for (const { kind, start, end } of spans) {
    pieces.push(...whole(text.slice(done, start), 'markup'), { kind, text: text.slice(start, end) });
    done = end;
  }
  return [...pieces, ...whole(text.slice(done), 'markup')];
}

const whole = (text: string, kind: FragmentKind): ReplyFragment[] => (text === '' ? [] : [{ kind, text }]);
