import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../contract/tool.js';
import type { CompletionRequest, Message, Part, Prompt, ToolChoice } from '../step/provider.js';
import { writeJson } from './vendor-json.js';

/** The form of tool names that both vendors accept. A caller's name may contain dots and be longer. */
const toolName = { allowed: /^[\w-]{1,64}$/, maxLength: 64 };
/** The form of call ids that both vendors accept. A caller's id may be any text. */
const callId = { allowed: /^[\w-]{1,40}$/, maxLength: 40 };

/** Maximum number of cache breakpoints in one request, including the one after the system message. */
const MAX_BREAKPOINTS = 4;

/** Maximum number of calls read from one reply. Models make a few; a reply with thousands is broken or hostile. */
const MAX_CALLS = 128;

/** Maximum number of calls or blocks in one stream, because each uses memory even if it is short. */
export const MAX_STREAMED_PARTS = 100_000;

/** A request within the vendor's limits, with a function that maps its tool names back to the caller's. */
export interface LimitedRequest {
  readonly definitions: readonly ToolDefinition[];
  readonly prompt: Prompt;
  /** The tool choice with the vendor's name of the tool; `auto` without native tools. */
  readonly choice: ToolChoice;
  ownToolName(vendorName: string): string;
}

/**
 * Renames tools and calls for a vendor (rule: native-calling), and drops surplus cache breakpoints. Two names are
 * never mapped to the same one, and a name that the vendor allows is kept. The same tools get the same names in
 * every step, whatever was called before, so that prompt caches stay valid.
 */
export function inVendorLimits({ prompt, nativeTools }: CompletionRequest): LimitedRequest {
  const { definitions: tools = [], choice = 'auto' } = nativeTools ?? {};
  const names = new VendorNames();
  for (const { name } of tools) if (toolName.allowed.test(name)) names.nameFor(name);
  // Tools are named before past calls, so that the name of a past call cannot take the name of a tool.
  const definitions = tools.map((tool) => ({ ...tool, name: names.nameFor(tool.name) }));
  const calls = new VendorCallIds();
  const messages = prompt.messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => renamed(part, names, calls)),
  }));
  const maxBreakpoints = MAX_BREAKPOINTS - Number(prompt.systemBreakpoint);
  return {
    definitions,
    choice: typeof choice === 'object' ? { name: names.nameFor(choice.name) } : choice,
    prompt: { ...prompt, messages: limitBreakpoints(messages, maxBreakpoints) },
    ownToolName: (vendorName) => names.ownName(vendorName),
  };
}

function renamed(part: Part, names: VendorNames, calls: VendorCallIds): Part {
  if (part.type === 'tool_call') return { ...part, name: names.nameFor(part.name), id: calls.open(part.id) };
  if (part.type === 'tool_result') return { ...part, callId: calls.answer(part.callId) };
  return part;
}

class VendorNames {
  readonly #vendorNames = new Map<string, string>();
  readonly #ownNames = new Map<string, string>();

  nameFor(own: string): string {
    const cached = this.#vendorNames.get(own);
    if (cached !== undefined) return cached;
    const vendorName = fitted(own, toolName, (candidate) => this.#ownNames.has(candidate));
    this.#vendorNames.set(own, vendorName);
    this.#ownNames.set(vendorName, own);
    return vendorName;
  }

  ownName(vendorName: string): string {
    return this.#ownNames.get(vendorName) ?? vendorName;
  }
}

/**
 * Maps call ids to ids that vendors accept and that are unique in a request. If several calls have the same id, the
 * results with that id are assigned to them in order.
 */
class VendorCallIds {
  readonly #used = new Set<string>();
  readonly #opened = new Map<string, { readonly ids: string[]; answered: number }>();

  open(own: string): string {
    const same = this.#opened.get(own) ?? { ids: [], answered: 0 };
    // Earlier calls with this id have already used the first salts, so the search starts after those.
    const firstSalt = Math.max(0, same.ids.length - 1);
    const id = fitted(own, { ...callId, firstSalt }, (candidate) => this.#used.has(candidate));
    this.#used.add(id);
    same.ids.push(id);
    this.#opened.set(own, same);
    return id;
  }

  answer(own: string): string {
    const same = this.#opened.get(own);
    const id = same?.ids[same.answered];
    if (!same || id === undefined) return fitted(own, callId, () => false);
    same.answered += 1;
    return id;
  }
}

function fitted(
  own: string,
  { allowed, maxLength, firstSalt = 0 }: typeof toolName & { readonly firstSalt?: number },
  isTaken: (candidate: string) => boolean,
): string {
  const plain = own.replace(/[^\w-]/g, '_').slice(0, maxLength) || '_';
  if ((allowed.test(own) || own.length <= maxLength) && !isTaken(plain)) return plain;
  for (let salt = firstSalt; ; salt += 1) {
    const hash = createHash('sha256').update(`${salt} ${own}`).digest('hex').slice(0, 12);
    const candidate = `${plain.slice(0, maxLength - hash.length - 1)}_${hash}`;
    if (!isTaken(candidate)) return candidate;
  }
}

/** Keeps the last `max` cache breakpoints of the messages, because later ones cover more. */
function limitBreakpoints(messages: readonly Message[], max: number): readonly Message[] {
  let surplus = messages.flatMap(({ parts }) => parts).filter(hasBreakpoint).length - max;
  if (surplus <= 0) return messages;
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => {
      if (!hasBreakpoint(part) || surplus <= 0) return part;
      surplus -= 1;
      return { ...part, breakpoint: false };
    }),
  }));
}

const hasBreakpoint = (part: Message['parts'][number]): boolean =>
  'breakpoint' in part && part.breakpoint === true;

/** Splits the calls of a reply into those within and those beyond the maximum number (rule: native-calling). */
export const splitCalls = <Call>(calls: readonly Call[]) => ({
  read: calls.slice(0, MAX_CALLS),
  unread: calls.slice(MAX_CALLS),
});

/**
 * Returns the length in characters of surplus calls, as JSON, for the caller's warning; undefined if there are none.
 */
export const charsOfUnread = (unread: readonly unknown[]): number | undefined =>
  unread.length === 0 ? undefined : writeJson(unread).length;
