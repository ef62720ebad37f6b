import { createHash } from 'node:crypto';
import type { ListedTool } from './listed-tools.js';

/** A tool of a server, as a person reviews it. The server chose all texts except `name`, so they are untrusted. */
export interface McpTool {
  /** The name for the model: `server__tool`, with only characters that every vendor accepts. */
  readonly name: string;
  /** The name on the server. */
  readonly toolName: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** True if the server declares the tool destructive. */
  readonly isDestructive: boolean;
  /** SHA-256 in hexadecimal over all fields that the server chose. It changes whenever one of them does. */
  readonly fingerprint: string;
}

/** Tools of a server that are new, or whose description or schema has changed. */
export interface McpReview {
  readonly server: string;
  readonly tools: readonly McpTool[];
}

/** `ask`: each call needs approval. `trust`: only calls of destructive tools do. `leave-out`: the tool is not offered. */
export type McpVerdict = 'ask' | 'trust' | 'leave-out';

/** Gives a listed tool its name for the model, and its fingerprint. */
export function toMcpTool(listed: ListedTool, name: string): McpTool {
  const { name: toolName, ...rest } = listed;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([toolName, rest]))
    .digest('hex');
  return { name, toolName, ...rest, fingerprint };
}
