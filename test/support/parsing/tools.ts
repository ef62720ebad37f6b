import type { OfferedTool } from '../../../src/parsing/arguments/offered-tool.js';
import {
  type ParsedCompletion,
  type ParseOptions,
  parseCompletion,
} from '../../../src/parsing/parse-completion.js';

/** The tools that the hand-written cases use. */
export const tools: readonly OfferedTool[] = [
  { name: 'read_file', parameters: ['path', 'start_line', 'end_line'] },
  { name: 'read', parameters: ['path'] },
  { name: 'write_file', parameters: ['path', 'content'] },
  { name: 'search', parameters: ['query'] },
  { name: 'http.request', parameters: ['url', 'method'] },
  { name: 'send-mail', parameters: ['to', 'subject'] },
  { name: 'list_tools', parameters: [] },
];

export function read(text: string, options?: ParseOptions): ParsedCompletion {
  return parseCompletion(text, tools, options);
}

/** Returns the arguments of the action in a text; undefined if there is no action. */
export function argumentsOf(text: string): unknown {
  return read(text).action?.toolArgs;
}
