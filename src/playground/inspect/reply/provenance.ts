import { parseCompletion, readSignatures, readSpans, toOfferedTool } from '../../../parsing/index.js';
import type { Parse, Step, StepRequestInput } from '../../../sdk/index.js';

/** What a piece of a completion became. `markup`: labels, fences and white space, which came to nothing. */
export type PieceKind = 'reasoning' | 'thought' | 'call' | 'answer' | 'discarded' | 'markup';

/** A completion in pieces; joined they are the completion. */
export interface ReplyPiece {
  readonly kind: PieceKind;
  readonly text: string;
}

/** Where each piece of a completion went, and whether the reading here came to what the service's did. */
export interface Provenance {
  readonly pieces: readonly ReplyPiece[];
  /** Null if both came to the same; else what the reading here came to. */
  readonly otherwise: Parse['outcome'] | null;
}

type Reply = Pick<
  Step,
  'completion_text' | 'finish_reason' | 'parse' | 'phase' | 'thought' | 'direct_response'
>;

/** Reads the completion as the service did: with the same parser and the same tools (rule: thought-and-answer). */
export function provenanceOf(reply: Reply, request: StepRequestInput): Provenance {
  const text = reply.completion_text ?? '';
  if (reply.phase === 'reason' || reply.phase === 'observe') return provenanceOfProse(text, reply);
  if (reply.parse?.dialect === 'native') return { pieces: whole(text, 'thought'), otherwise: null };
  const tools = [
    ...(request.tools ?? []).map((tool) => toOfferedTool({ ...tool, inputSchema: tool.inputSchema ?? {} })),
    ...readSignatures(request.available_tools_prompt_segment ?? ''),
  ];
  const options = { finishReason: reply.finish_reason ?? 'stop' } as const;
  const { outcome, thought } = parseCompletion(text, tools, options);
  return {
    pieces: piecesOf(text, readSpans(text, tools, options)).flatMap((piece) => thoughtApart(piece, thought)),
    otherwise: isSame(outcome, reply.parse?.outcome) ? null : outcome,
  };
}

/** One JSON object may hold the thought beside the call or the answer (rule: step-object). */
function thoughtApart(piece: ReplyPiece, thought: string | null): readonly ReplyPiece[] {
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

/** What tells how deep a place of a JSON text is. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
/** What follows a key whose value is a string. */
const STRING_VALUE = /(\s*:\s*")((?:[^"\\]|\\.)+)"/sy;

/** Where the string under the object's own key `thought` begins and ends: one in its arguments is an argument. */
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

/** Whether the thought that was read has this JSON string in it. */
function isPartOf(thought: string | null, json: string): boolean {
  try {
    return thought?.includes(String(JSON.parse(json)).trim()) ?? false;
  } catch {
    return false;
  }
}

/** In these phases nothing is read for an action: there is prose, and a block that says how to go on (rule: phases). */
function provenanceOfProse(text: string, { thought, direct_response }: Reply): Provenance {
  const prose = thought ?? direct_response ?? '';
  const start = prose === '' ? -1 : text.indexOf(prose);
  const kind = thought === null ? 'answer' : 'thought';
  const spans = start < 0 ? [] : [{ kind, start, end: start + prose.length } as const];
  return { pieces: piecesOf(text, spans), otherwise: null };
}

/** An action at the last iteration is an action to the parser. */
const isSame = (here: string, there: string | undefined): boolean =>
  here === there ||
  there === undefined ||
  (there === 'action_after_limit' && here === 'action') ||
  there === 'refusal';

function piecesOf(
  text: string,
  spans: readonly { readonly kind: PieceKind; readonly start: number; readonly end: number }[],
): ReplyPiece[] {
  const pieces: ReplyPiece[] = [];
  let done = 0;
  for (const { kind, start, end } of spans) {
    pieces.push(...whole(text.slice(done, start), 'markup'), { kind, text: text.slice(start, end) });
    done = end;
  }
  return [...pieces, ...whole(text.slice(done), 'markup')];
}

const whole = (text: string, kind: PieceKind): ReplyPiece[] => (text === '' ? [] : [{ kind, text }]);
