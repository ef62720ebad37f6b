import type { FittedPrompt, PromptPieces } from './fit-to-budget.js';
import { continueTemplate, openingTemplate } from './prompt/templates/orders.js';
import type { Message, Part, Prompt } from './provider.js';
import { type ReplySituation, toReplySituation } from './read-situation.js';

interface LaidOutPrompt {
  readonly prompt: Prompt;
  /** The messages before the tail: step N+1's begin with step N's, byte for byte. */
  readonly stable: readonly Message[];
}

/** A prompt ready to be sent, what it was fitted of, and the situation that its reply is read against. */
export interface RenderedPrompt extends LaidOutPrompt {
  readonly fitted: FittedPrompt;
  readonly situation: ReplySituation;
}

/** Puts what was fitted into messages. */
export function renderPrompt(fitted: FittedPrompt): RenderedPrompt {
  return { fitted, situation: toReplySituation(fitted.situation), ...layOutPrompt(fitted.pieces) };
}

/** Merges neighbours of one role, begins and ends with the user, and sets the cache breakpoints (rule: breakpoints). */
export function layOutPrompt({ system, example, context, history, tail }: PromptPieces): LaidOutPrompt {
  const contextMessage: Message = {
    role: 'user',
    parts: context.map((text) => ({ type: 'text', text })),
  };
  const opening: Message = { role: 'user', parts: [{ type: 'text', text: openingTemplate }] };
  const first = context.length > 0 ? [contextMessage] : history[0]?.role === 'user' ? [] : [opening];
  const stable = mergeNeighbours([...example, ...first, ...history]);
  const messages = appendTail(markBreakpoints(stable, contextEnd(example, context)), tail.toWellFormed());
  return { prompt: { system: system.toWellFormed(), systemBreakpoint: true, messages }, stable };
}

function mergeNeighbours(messages: readonly Message[]): Message[] {
  const merged: { role: Message['role']; parts: Part[] }[] = [];
  for (const { role, parts } of messages) {
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ role, parts: [...parts] });
  }
  return merged;
}

interface Position {
  readonly message: number;
  readonly part: number;
}

/** Where the context's last block lies, if it has any: an example ends with a text in the same message. */
function contextEnd(
  example: PromptPieces['example'],
  context: PromptPieces['context'],
): Position | undefined {
  if (context.length === 0) return undefined;
  const last = Math.max(0, example.length - 1);
  return { message: last, part: (example[last]?.parts.length ?? 0) + context.length - 1 };
}

/** After the context, before the newest assistant message, and before the tail. */
function markBreakpoints(messages: readonly Message[], context: Position | undefined): Message[] {
  const newestAssistant = messages.findLastIndex((message) => message.role === 'assistant');
  const marked = [...messages];
  const mark = (at: number, part = (messages[at]?.parts.length ?? 0) - 1): void => {
    const message = marked[at];
    if (message) marked[at] = withBreakpoint(message, part);
  };
  if (context) mark(context.message, context.part);
  mark(newestAssistant - 1);
  mark(messages.length - 1);
  return marked;
}

function withBreakpoint({ role, parts }: Message, at: number): Message {
  const mark = (part: Part): Part =>
    part.type === 'text' || part.type === 'tool_result' ? { breakpoint: true, ...part } : part;
  return { role, parts: parts.map((part, index) => (index === at ? mark(part) : part)) };
}

/** The tail is the last block of the last message. */
function appendTail(messages: readonly Message[], tail: string): Message[] {
  const last = messages.at(-1);
  const isUser = last?.role === 'user';
  const text = tail || (isUser ? '' : continueTemplate);
  if (text === '') return [...messages];
  const part: Part = { type: 'text', text, tail: true };
  if (!isUser) return [...messages, { role: 'user', parts: [part] }];
  return [...messages.slice(0, -1), { role: 'user', parts: [...last.parts, part] }];
}
