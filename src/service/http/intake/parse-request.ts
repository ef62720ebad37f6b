import type { z } from 'zod';
import { explainIssue } from '../../../contract/explain-issue.js';
import { isObject } from '../../../contract/fields.js';
import { type Turn, turnSchema } from '../../../contract/history.js';
import type { ErrorDetail, Warning } from '../../../contract/step.js';
import { MAX_TURNS } from '../../../contract/step-request.js';
import { isBase64 } from '../../../conversation/is-base64.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import { RequestRefused } from '../failure/to-failure.js';

/** Maximum number of details or warnings in a response, because a hostile body can cause hundreds of thousands of issues. */
const MAX_DETAILS = 20;

interface RequestWithFiles {
  conversation_history: Turn[];
  attachments?: Turn['attachments'];
}

export interface ParsedRequest<Request> {
  readonly request: Request;
  /** The history as the caller sent it, with all fields. */
  readonly history: readonly unknown[];
  readonly warnings: readonly Warning[];
}

/**
 * Validates a request by its schema of the contract. Throws `RequestRefused` with `details`
 * (rule: unknown-fields).
 */
export async function parseRequest<Schema extends z.ZodType<RequestWithFiles>>(
  schema: Schema,
  body: unknown,
  signal: AbortSignal,
): Promise<ParsedRequest<z.output<Schema>>> {
  const history = historyIn(body);
  const turns = await parseTurns(history, signal);
  const rest = history.length > 0 && isObject(body) ? { ...body, conversation_history: [] } : body;
  const result = schema.safeParse(rest, { error: explainIssue });
  const ownIssues = result.success ? undecodable(result.data.attachments, []) : result.error.issues;
  const issues = [...turns.issues, ...ownIssues];
  if (!result.success || issues.length > 0) throw new RequestRefused('invalid_request', detailsOf(issues));
  const request = result.data;
  if (history.length > 0) request.conversation_history = turns.parsed;
  const unknown = findUnknownFields(body, request);
  return { request, history, warnings: unknown.map(unknownField) };
}

/** Returns the turns of a body; empty if it has no list of turns, or a longer one than the schema allows. */
function historyIn(body: unknown): readonly unknown[] {
  const history = isObject(body) ? body['conversation_history'] : undefined;
  return Array.isArray(history) && history.length <= MAX_TURNS ? history : [];
}

/**
 * Validates the turns one by one, so that it can yield between them. Stops after `MAX_DETAILS` issues, because
 * describing every issue of 10,000 invalid turns would take most of a second (rule: loop-share).
 */
async function parseTurns(history: readonly unknown[], signal: AbortSignal) {
  const parsed: Turn[] = [];
  const issues: z.core.$ZodIssue[] = [];
  for (const [index, turn] of history.entries()) {
    await yieldIfBusy(signal);
    const result = turnSchema.safeParse(turn, { error: explainIssue });
    if (result.success) {
      parsed.push(result.data);
      issues.push(...undecodable(result.data.attachments, ['conversation_history', index]));
    } else issues.push(...result.error.issues.map((issue) => at(['conversation_history', index], issue)));
    if (issues.length >= MAX_DETAILS) break;
  }
  return { parsed, issues };
}

/** Returns an issue for each attachment that is not base64, which the schema does not check. */
const undecodable = (attachments: Turn['attachments'], path: PropertyKey[]): z.core.$ZodIssue[] =>
  (attachments ?? []).flatMap(({ data }, index) =>
    isBase64(data) ? [] : [at(path, { ...notBase64, path: ['attachments', index, 'data'] })],
  );

const notBase64 = {
  code: 'custom',
  message: 'expected base64 with its padding, without line breaks and without a data: prefix',
} as const;

const at = (path: PropertyKey[], issue: z.core.$ZodIssue): z.core.$ZodIssue => ({
  ...issue,
  path: [...path, ...issue.path],
});

const detailsOf = (issues: readonly z.core.$ZodIssue[]): ErrorDetail[] =>
  issues.slice(0, MAX_DETAILS).map(({ path, code, message }) => ({ path: path.join('.'), code, message }));

/**
 * Returns the paths of the fields that a schema dropped. A value that the schema passes through unchanged is the
 * same object in `sent` and `read`, so it is not searched; neither is the history, which keeps unknown fields.
 */
function findUnknownFields(sent: unknown, read: unknown): string[] {
  const found: string[] = [];
  const compare = (before: unknown, after: unknown, path: readonly string[]): void => {
    if (before === after || !isContainer(before) || !isContainer(after)) return;
    for (const name in before) {
      if (found.length >= MAX_DETAILS) return;
      if (name === 'conversation_history' && path.length === 0) continue;
      if (!Object.hasOwn(after, name)) found.push([...path, printable(name)].join('.'));
      else if (before[name] !== after[name]) compare(before[name], after[name], [...path, printable(name)]);
    }
  };
  compare(sent, read, []);
  return found;
}

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Returns a field name chosen by the caller if it is harmless in a message, otherwise a placeholder. */
const printable = (name: string): string => (/^[\w.-]{1,64}$/.test(name) ? name : '(unusual name)');

const unknownField = (path: string): Warning => ({
  code: 'unknown_field',
  message: `The field ${path} is unknown and was ignored.`,
});
