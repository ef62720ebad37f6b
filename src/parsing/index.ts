/**
 * Package entry of the parser: reads a model's text, in any dialect, as one action, an answer or a described
 * problem. Pure and synchronous. It never throws, and loads no other part of the package. The rules are in
 * docs/reference/reading-the-model.md.
 */
export { type DefinedTool, type OfferedTool, toOfferedTool } from './arguments/offered-tool.js';
export type { ParseDelta } from './delta-writer.js';
export type { Dialect } from './dialects/written-call.js';
export type { Discarded, DiscardedKind } from './discarded.js';
export { IncrementalParser } from './incremental-parser.js';
export { type NativeCall, type NativeCallReading, readNativeCall } from './native-call.js';
export {
  type ParseCommon,
  type ParsedAction,
  type ParsedCompletion,
  type ParsedOutcome,
  type ParseOptions,
  parseCompletion,
  type ReplySpan,
  readSpans,
} from './parse-completion.js';
export { readSignatures } from './segment/signatures.js';
export type { JsonValue, Repair } from './text/scanner.js';
