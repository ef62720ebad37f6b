import type { z } from 'zod';
import { isObject } from '../../contract/fields.js';
import type { ErrorDetail, Warning } from '../../contract/step.js';
import { type StepRequest, stepRequestSchema } from '../../contract/step-request.js';
import { findUnknownFields } from './find-unknown-fields.js';
import { RequestRefused } from './request-refused.js';

/** More says nothing new, and a hostile body can raise hundreds of thousands of issues. */
const maxDetails = 20;

export interface ParsedStepRequest {
  readonly request: StepRequest;
  /** The history as sent, field for field. */
  readonly history: readonly unknown[];
  readonly warnings: readonly Warning[];
}

/** A step request by the contract's schema. Throws `RequestRefused` with what is wrong where. */
export function parseStepRequest(body: unknown): ParsedStepRequest {
  const result = stepRequestSchema.safeParse(body);
  if (!result.success) throw new RequestRefused('invalid_request', detailsOf(result.error));
  const { conversation_history: history, ...sent } = isObject(body) ? body : {};
  const { conversation_history: _, ...read } = result.data;
  return {
    request: result.data,
    history: Array.isArray(history) ? history : [],
    warnings: findUnknownFields(sent, read, maxDetails).map(unknownField),
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
