import { writeOpenAiFailure } from '../openai-failure.js';
import type { FailureWriter } from '../wire.js';

/**
 * Writes a failure in OpenAI's shape. Some clients of the Responses API require `param` to be a text (rule:
 * compatible-errors).
 */
export const writeResponsesFailure = ((failure) => {
  const { status, body } = writeOpenAiFailure(failure);
  const param = failure.tooLong ? 'input' : (body.error.param ?? '');
  return { status, body: { error: { ...body.error, param } } };
}) satisfies FailureWriter;
