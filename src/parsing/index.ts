/**
 * Package entry of the parser: reads a model's text, in any dialect, as one action, an answer or a described
 * problem. Pure: it never throws, and loads no other part of the package. The rules are in
 * docs/reference/reading-the-model.md.
 */
export { type DefinedTool, type OfferedTool, toOfferedTool } from './arguments/offered-tool.js';
export type { ParseDelta } from './delta-writer.js';
export type { Dialect } from './dialects/written-call.js';
export type { Discarded, DiscardedKind } from './discarded.js';
export { IncrementalParser, type StreamedReply } from './incremental-parser.js';
export {
  type EmptyNativeAnswer,
  type NativeAction,
  type NativeAnswer,
  type NativeCall,
  type NativeCallReading,
  readNativeCall,
  type UnreadableNativeCall,
} from './native-call.js';
export {
  type EmptyReply,
  type ParseCommon,
  type ParsedAction,
  type ParsedAnswer,
  type ParsedCall,
  type ParsedCompletion,
  type ParsedOutcome,
  type ParseOptions,
  parseCompletion,
  type ReplySpan,
  readSpans,
  type UnreadableReply,
} from './parse-completion.js';
export type { Pause } from './pause.js';
export { readSignatures } from './segment/signatures.js';
export type { JsonObject, JsonValue, Repair } from './text/scanner.js';
