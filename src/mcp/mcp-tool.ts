import { createHash } from 'node:crypto';
import type { ListedTool } from './listed-tools.js';

/** A tool of a server, as a person reviews it. The server chose all texts except `name`, so they are untrusted. */
export interface McpTool {
  /** The name that the model sees: `server__tool`, with only characters that every vendor accepts. */
  readonly name: string;
  /** The tool's own name on its server. */
  readonly toolName: string;
  /** The server's name for people; undefined if it gives none. */
  readonly title: string | undefined;
  /** The server's text for the model, of at most 8,000 characters; may be empty. */
  readonly description: string;
  /** JSON Schema of the argument object, as the server wrote it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** True if the server declares the tool destructive. */
  readonly isDestructive: boolean;
  /** SHA-256 in hexadecimal of all fields that the server chose. It changes whenever one of the fields does. */
  readonly fingerprint: string;
}

/**
 * Tools of one server that a person must decide about: new ones, and ones whose description or schema has changed.
 */
export interface McpReview {
  /** The server's name in `McpOptions.servers`. */
  readonly server: string;
  /** The tools that need a verdict; never empty. Tools that were decided about earlier are not in it. */
  readonly tools: readonly McpTool[];
}

/**
 * Decision about a tool. `ask`: each call needs approval. `trust`: only calls of destructive tools need approval.
 * `leave-out`: the tool is not offered.
 */
export type McpVerdict = 'ask' | 'trust' | 'leave-out';

/** Combines a listed tool with its name for the model and its fingerprint. */
export function toMcpTool(listed: ListedTool, name: string): McpTool {
  const { name: toolName, ...rest } = listed;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([toolName, rest]))
    .digest('hex');
  return { name, toolName, ...rest, fingerprint };
}
