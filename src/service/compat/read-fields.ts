import type { z } from 'zod';
import { explainIssue } from '../../contract/explain-issue.js';
import type { Warning } from '../../contract/step.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import { StepRefused } from '../step/interruption.js';
import type { ClientTool, ClientTools } from './client-tools.js';
import type { NeutralRequest } from './wire.js';

/** Maximum number of messages or items of one conversation. */
export const MAX_ITEMS = 10_000;
/** Maximum number of parts of one message, and of calls in one message. */
export const MAX_PARTS = 10_000;
/** Maximum number of tools of a request. */
export const MAX_TOOLS = 1_000;

/** Reads a value by a schema. Throws `StepRefused`, which names the first field that does not fit. */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: explainIssue });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw refused(
    [path, ...(issue?.path ?? [])].filter((part) => part !== ''),
    issue?.message ?? 'is not valid',
  );
}

/** Reads the items of a list one by one, and yields to the event loop between them. Throws as `readFields` does. */
export async function readEach<Schema extends z.ZodType>(
  schema: Schema,
  items: readonly unknown[],
  { path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<z.output<Schema>[]> {
  const read: z.output<Schema>[] = [];
  for (const [index, item] of items.entries()) {
    await yieldIfBusy(signal);
    read.push(readFields(schema, item, `${path}[${index}]`));
  }
  return read;
}

/** Returns the error for a request that the service refuses, with the path of the field and the reason. */
export function refused(path: string | readonly PropertyKey[], message: string): StepRefused {
  return new StepRefused('invalid_request', [{ path: written(path), code: 'invalid_field', message }]);
}

/** Formats a path as in code: `messages[2].content`. */
function written(path: string | readonly PropertyKey[]): string {
  const parts = typeof path === 'string' ? [path] : path;
  return parts
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : (index > 0 ? '.' : '') + String(part)))
    .join('');
}

/**
 * Returns the tool choice that requires one particular tool. Throws `StepRefused`, which names the field at `path`,
 * if the request does not offer the tool.
 */
export function chooseTool(
  tool: Pick<ClientTool, 'name' | 'namespace'>,
  tools: ClientTools,
  path: string | readonly PropertyKey[],
): NeutralRequest['toolChoice'] {
  const name = tools.offeredNameOf(tool);
  if (name === undefined)
    throw refused(
      path,
      'expected the name of a function or custom tool in tools; hosted tools cannot be chosen',
    );
  return { name };
}

/** Returns a warning for each of the fields that a body has although the service ignores them. */
export function ignoredFields(body: Readonly<Record<string, unknown>>, names: readonly string[]): Warning[] {
  const sent = names.filter((name) => body[name] !== undefined && body[name] !== null);
  return sent.map((name) => ({ code: 'ignored_field', message: `The field ${name} was ignored.` }));
}

/** Warning about images and other parts without text that the model does not get. */
export const imageReplaced = (count: number): Warning => ({
  code: 'image_replaced',
  message: `${count === 1 ? 'An image or another part without text was' : `${count} images or other parts without text were`} replaced by a placeholder.`,
});

/** Warning about reasoning that another service signed or encrypted. */
export const foreignState: Warning = {
  code: 'provider_state_not_sent',
  message: 'Reasoning that another service signed or encrypted was left out of the conversation.',
};

/** Warning about a tool that runs at the vendor, or that only the vendor's own models know. */
export const toolSkipped = (type: string): Warning => ({
  code: 'tool_skipped',
  message: `Tools of the type ${printable(type)} are not supported.`,
});

/** Returns the text if it can be quoted safely in a message: at most 64 letters, digits, `_`, `.` or `-`. */
const printable = (text: string): string => (/^[\w.-]{1,64}$/.test(text) ? text : '(unusual name)');

/** Returns the text that replaces an image or a file that the model does not get. */
export const placeholderOf = (kind: string): string => `[${kind}: not shown to the model]`;
