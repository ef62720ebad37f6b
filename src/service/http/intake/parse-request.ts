import type { z } from 'zod';
import { isObject } from '../../../contract/fields.js';
import type { ErrorDetail, Warning } from '../../../contract/step.js';
import { RequestRefused } from '../failure/to-failure.js';
import { findUnknownFields } from './find-unknown-fields.js';

/** More says nothing new, and a hostile body can raise hundreds of thousands of issues. */
const maxDetails = 20;

export interface ParsedRequest<Request> {
  readonly request: Request;
  /** The history as sent, field for field. */
  readonly history: readonly unknown[];
  readonly warnings: readonly Warning[];
}

/** A request by its schema of the contract. Throws `RequestRefused` with what is wrong where. */
export function parseRequest<Schema extends z.ZodType<object>>(
  schema: Schema,
  body: unknown,
): ParsedRequest<z.output<Schema>> {
  const result = schema.safeParse(body);
  if (!result.success) throw new RequestRefused('invalid_request', detailsOf(result.error));
  // The turns keep what they do not know: it is no news.
  const { conversation_history: history, ...sent } = isObject(body) ? body : {};
  return {
    request: result.data,
    history: Array.isArray(history) ? history : [],
    warnings: findUnknownFields(sent, result.data, maxDetails).map(unknownField),
  };
}

function detailsOf(error: z.ZodError): ErrorDetail[] {
  return error.issues.slice(0, maxDetails).map(({ path, code, message }) => ({
    path: path.join('.'),
    code,
    message,
  }));
}

const unknownField = (path: string): Warning => ({
  code: 'unknown_field',
  message: `The field ${path} is not known and was ignored.`,
});
