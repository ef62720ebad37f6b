import { createHmac, randomBytes } from 'node:crypto';
import type { CompletionRequest } from '../step/provider.js';
import type { ModelTraits } from './models/model-traits.js';

/** The form that a request demands of its reply, and the names under which a refusal of it is remembered. */
export interface Constraint {
  readonly form: 'json_schema' | 'llama' | 'anthropic' | 'json_object';
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Remembered if the model takes no constraint of this form. */
  readonly parameter: string;
  /** Remembered if the model does not take this very schema. */
  readonly forSchema: string;
}

const parameters = {
  json_schema: 'response_format',
  llama: 'response_format',
  json_object: 'response_format',
  anthropic: 'output_config.format',
} as const satisfies Record<Constraint['form'], string>;

/** The constraint that a request asks for, if its model takes any. */
export function constraintOf(
  { replySchema: schema }: Pick<CompletionRequest, 'replySchema'>,
  { structured }: ModelTraits,
): Constraint | undefined {
  if (schema === undefined || structured === 'none') return undefined;
  const form = structured === 'json_object' || schema === null ? 'json_object' : structured.form;
  // Anthropic knows no JSON of any shape.
  if (form === 'json_object' && structured !== 'json_object' && structured.form === 'anthropic')
    return undefined;
  const parameter = parameters[form];
  return {
    form,
    schema: form === 'json_object' ? null : schema,
    parameter,
    forSchema: `${parameter}#${digestOf(schema)}`,
  };
}

/** Random, so that nobody can tell from a remembered digest which schema was sent. */
const digestKey = randomBytes(32);
const digestOf = (schema: unknown): string =>
  createHmac('sha256', digestKey).update(JSON.stringify(schema)).digest('hex').slice(0, 16);

export const isRefused = (refused: ReadonlySet<string>, { parameter, forSchema }: Constraint): boolean =>
  refused.has(parameter) || refused.has(forSchema);

/** The warning for a constraint that is not sent. */
export const constraintDropped = {
  code: 'constraint_dropped',
  message:
    'The provider does not take the schema of the reply: its form was taught, and is checked when it has come.',
} as const;
