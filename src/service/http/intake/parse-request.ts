import type { z } from 'zod';
import { isObject } from '../../../contract/fields.js';
import type { ErrorDetail, Warning } from '../../../contract/step.js';
import { RequestRefused } from '../failure/to-failure.js';
import { inOurWords } from './explain-issue.js';
import { findUnknownFields } from './find-unknown-fields.js';
import { readLongLists } from './read-long-lists.js';

/** More says nothing new, and a hostile body can raise hundreds of thousands of issues. */
const MAX_DETAILS = 20;

export interface ParsedRequest<Request> {
  readonly request: Request;
  /** The history as sent, field for field. */
  readonly history: readonly unknown[];
  readonly warnings: readonly Warning[];
}

/** A schema of an object, by the names of its fields. */
export interface WithFields {
  readonly shape: object;
}

/** A request by its schema of the contract. Throws `RequestRefused` with what is wrong where (rule: unknown-fields). */
export async function parseRequest<Schema extends z.ZodType<object> & WithFields>(
  schema: Schema,
  body: unknown,
  signal: AbortSignal,
): Promise<ParsedRequest<z.output<Schema>>> {
  const lists = await readLongLists(body, { shape: schema.shape, maxIssues: MAX_DETAILS, signal });
  const result = schema.safeParse(lists.rest, inOurWords);
  const issues = [...lists.issues, ...(result.error?.issues ?? [])];
  if (!result.success || issues.length > 0) throw new RequestRefused('invalid_request', detailsOf(issues));
  const request = result.data;
  lists.putBack(request);
  const history = isObject(body) ? body['conversation_history'] : [];
  return {
    request,
    history: Array.isArray(history) ? history : [],
    warnings: findUnknownFields(body, request, { limit: MAX_DETAILS, kept: 'conversation_history' }).map(
      unknownField,
    ),
  };
}

const detailsOf = (issues: readonly z.core.$ZodIssue[]): ErrorDetail[] =>
  issues.slice(0, MAX_DETAILS).map(({ path, code, message }) => ({ path: path.join('.'), code, message }));

const unknownField = (path: string): Warning => ({
  code: 'unknown_field',
  message: `The field ${path} is not known and was ignored.`,
});
