import { createHash } from 'node:crypto';
import type { ListedTool } from './listed-tools.js';

/** A tool of a server, as it is put before a person. All but `name` is in the server's words. */
export interface McpTool {
  /** As the model calls it: `server__tool`, made valid for every vendor. */
  readonly name: string;
  /** As the server calls it. */
  readonly toolName: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The server says that it may destroy something. */
  readonly isDestructive: boolean;
  /** Of all that the model is told of it, in hexadecimal: another description has another. */
  readonly fingerprint: string;
}

/** Tools that a server offers for the first time, or describes in another way than before. */
export interface McpReview {
  readonly server: string;
  readonly tools: readonly McpTool[];
}

/** `ask`: each call needs approval. `trust`: none does, but of tools that say they destroy. `leave-out`: not offered. */
export type McpVerdict = 'ask' | 'trust' | 'leave-out';

/** The tool under the name by which a model calls it. */
export function toMcpTool(listed: ListedTool, name: string): McpTool {
  const { name: toolName, ...words } = listed;
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([toolName, words]))
    .digest('hex');
  return { name, toolName, ...words, fingerprint };
}
