import { createHash } from 'node:crypto';
import type { ListedTool } from './listed-tools.js';

/** A tool of a server, as a person reviews it. The server chose all texts except `name`, so they are untrusted. */
export interface McpTool {
  /** The name that the model sees: `server__tool`, with only characters that every vendor accepts. */
  readonly name: string;
  /** The tool's own name on its server. */
  readonly toolName: string;
  readonly title: string | undefined;
  readonly description: string;
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
  readonly server: string;
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
