import type { Message, Part, Prompt } from '../provider.js';
import { continueTemplate, openingTemplate } from './templates/orders.js';

/** The sections of a prompt, in the order in which they are sent (rule: message-order). */
export interface PromptSections {
  /** The system message: instructions, then tools. */
  readonly system: string;
  /** The worked example. Its last message has the role `user`. */
  readonly example: readonly Message[];
  /** Context items as fenced blocks. */
  readonly context: readonly string[];
  readonly history: readonly Message[];
  /** Text that changes from step to step; may be empty. */
  readonly tail: string;
}

export interface LaidOutPrompt {
  readonly prompt: Prompt;
  /**
   * The messages before the tail. The messages of each step begin with those of the previous step, byte for byte
   * (rule: stable-prompt).
   */
  readonly stable: readonly Message[];
}

/**
 * Merges adjacent messages of one role, makes sure that the first and the last message have the role `user`, and
 * sets the cache breakpoints (rule: breakpoints).
 */
export function layOutPrompt({ system, example, context, history, tail }: PromptSections): LaidOutPrompt {
  const contextMessage: Message = { role: 'user', parts: context.map((text) => ({ type: 'text', text })) };
  const opening: Message = { role: 'user', parts: [{ type: 'text', text: openingTemplate }] };
  const first = context.length > 0 ? [contextMessage] : history[0]?.role === 'user' ? [] : [opening];
  const stable = mergeAdjacent([...example, ...first, ...history]);
  const messages = appendTail(markBreakpoints(stable, contextEnd(example, context)), tail.toWellFormed());
  return { prompt: { system: system.toWellFormed(), systemBreakpoint: true, messages }, stable };
}

function mergeAdjacent(messages: readonly Message[]): Message[] {
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

/**
 * Returns the position of the last context block. The context is in the same message as the end of the worked
 * example.
 */
function contextEnd(
  example: PromptSections['example'],
  context: PromptSections['context'],
): Position | undefined {
  if (context.length === 0) return undefined;
  const last = Math.max(0, example.length - 1);
  return { message: last, part: (example[last]?.parts.length ?? 0) + context.length - 1 };
}

/** Sets cache breakpoints after the context, before the newest assistant message, and before the tail. */
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
    part.type === 'tool_call' || part.type === 'provider_state' ? part : { ...part, breakpoint: true };
  return { role, parts: parts.map((part, index) => (index === at ? mark(part) : part)) };
}

/**
 * Appends the tail as the last block of the last message. Appends a fixed text if the prompt would otherwise end
 * with an assistant message.
 */
function appendTail(messages: readonly Message[], tail: string): Message[] {
  const last = messages.at(-1);
  const isUser = last?.role === 'user';
  const text = tail || (isUser ? '' : continueTemplate);
  if (text === '') return [...messages];
  const part: Part = { type: 'text', text, tail: true };
  if (!isUser) return [...messages, { role: 'user', parts: [part] }];
  return [...messages.slice(0, -1), { role: 'user', parts: [...last.parts, part] }];
}
