import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../contract/tool.js';
import type { CompletionRequest, Message, Part } from '../step/provider.js';

/** What both vendors take as the name of a tool; ours may hold dots and be longer. */
const toolName = { allowed: /^[\w-]{1,64}$/, most: 64 };
/** What both vendors take as the id of a call; a caller's may be anything. */
const callId = { allowed: /^[\w-]{1,40}$/, most: 40 };

/** Cache breakpoints both vendors take in one request, the system's included. */
export const MOST_BREAKPOINTS = 4;

/** A request in names the vendors accept, and the way back. */
export interface VendorNamed {
  readonly definitions: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  ownToolName(vendorName: string): string;
}

/**
 * Renames tools and calls for a vendor. Two names are never mapped to one; a name that is allowed stays as it is.
 * The same tools give the same names in every step, whatever was called since, so that prompt caches hold.
 */
export function inVendorNames({ prompt, nativeTools }: CompletionRequest): VendorNamed {
  const definitions = nativeTools?.definitions ?? [];
  const names = new VendorNames();
  for (const { name } of definitions) if (toolName.allowed.test(name)) names.nameFor(name);
  const calls = new CallIds();
  return {
    definitions: definitions.map((tool) => ({ ...tool, name: names.nameFor(tool.name) })),
    messages: prompt.messages.map(({ role, parts }) => ({
      role,
      parts: parts.map((part) => renamed(part, names, calls)),
    })),
    ownToolName: (vendorName) => names.ownName(vendorName),
  };
}

function renamed(part: Part, names: VendorNames, calls: CallIds): Part {
  if (part.type === 'tool_call') return { ...part, name: names.nameFor(part.name), id: calls.open(part.id) };
  if (part.type === 'tool_result') return { ...part, callId: calls.answer(part.callId) };
  return part;
}

class VendorNames {
  readonly #vendorNames = new Map<string, string>();
  readonly #ownNames = new Map<string, string>();

  nameFor(own: string): string {
    const known = this.#vendorNames.get(own);
    if (known !== undefined) return known;
    const vendorName = fitted(own, toolName, (candidate) => this.#ownNames.has(candidate));
    this.#vendorNames.set(own, vendorName);
    this.#ownNames.set(vendorName, own);
    return vendorName;
  }

  ownName(vendorName: string): string {
    return this.#ownNames.get(vendorName) ?? vendorName;
  }
}

/** Ids must be unique in a request; the results of calls that shared an id answer them in order. */
class CallIds {
  readonly #used = new Set<string>();
  readonly #opened = new Map<string, { readonly ids: string[]; answered: number }>();

  open(own: string): string {
    const same = this.#opened.get(own) ?? { ids: [], answered: 0 };
    // Each id before this one took a number of its own: counting from 0 again would try them all.
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
  { allowed, most, firstSalt = 0 }: typeof toolName & { readonly firstSalt?: number },
  taken: (candidate: string) => boolean,
): string {
  const plain = own.replace(/[^\w-]/g, '_').slice(0, most) || '_';
  if ((allowed.test(own) || own.length <= most) && !taken(plain)) return plain;
  for (let salt = firstSalt; ; salt += 1) {
    const hash = createHash('sha256').update(`${salt} ${own}`).digest('hex').slice(0, 12);
    const candidate = `${plain.slice(0, most - hash.length - 1)}_${hash}`;
    if (!taken(candidate)) return candidate;
  }
}

/** Keeps the last `most` cache breakpoints of the messages: later ones cover more. */
export function limitBreakpoints(messages: readonly Message[], most: number): readonly Message[] {
  let surplus = messages.flatMap(({ parts }) => parts).filter(hasBreakpoint).length - most;
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
