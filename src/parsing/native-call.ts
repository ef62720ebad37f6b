import { type OfferedTool, OfferedTools } from './arguments/offered-tool.js';
import { type CallReading, unreadable, withArguments } from './dialects/written-call.js';
import type { ParseOptions } from './parse-completion.js';
import { type ResolvedCall, resolveCall } from './resolve-call.js';
import { skipSpace } from './text/characters.js';
import { readValue } from './text/literals.js';
import { Scanner } from './text/scanner.js';

/** A call that the provider sent in a separate field, not in the text. */
export interface NativeCall {
  readonly name: string;
  /** JSON as the model wrote it; empty text means no arguments. */
  readonly arguments: string;
}

/** The result of checking a native call; `empty` is an answer call without text. */
export type NativeCallReading = ResolvedCall | { readonly outcome: 'empty' };

/**
 * Checks a native call against the offered tools. The name comes from the call, whatever its arguments hold;
 * the arguments are one value, read like those of a JSON call in text, with nothing after it (rule:
 * json-call). Never throws.
 */
export function readNativeCall(
  call: NativeCall,
  tools: readonly OfferedTool[],
  { finishReason }: Pick<ParseOptions, 'finishReason'> = {},
): NativeCallReading {
  const limits = { cutByLimit: finishReason === 'length', textLength: call.arguments.length };
  const resolved = resolveCall(readWritten(call), OfferedTools.of(tools), limits);
  if (resolved.outcome !== 'answer') return resolved;
  const answer = resolved.answer.trim();
  return answer === '' ? { outcome: 'empty' } : { ...resolved, answer };
}

function readWritten({ name, arguments: written }: NativeCall): CallReading {
  const text = written.trim();
  const scanner = new Scanner(text, 0);
  const value = text === '' ? {} : readValue(scanner);
  if (skipSpace(text, scanner.position) < text.length) scanner.fail(`${name}: text follows the arguments`);
  if (value === undefined || scanner.problem !== null) return unreadable('json', name, scanner);
  const place = { kind: 'call', dialect: 'json', start: 0, end: text.length } as const;
  return withArguments({ name, ...place }, value, scanner);
}
