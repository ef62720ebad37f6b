import { createHmac, randomBytes } from 'node:crypto';
import type { CompletionRequest } from '../step/provider.js';
import type { ModelTraits } from './models/model-traits.js';

/** What a request asks of the reply's form, and by which names a refusal of it is remembered. */
export interface Constraint {
  readonly form: 'json_schema' | 'llama' | 'anthropic' | 'json_object';
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** The model takes no such thing. */
  readonly parameter: string;
  /** It does not take this very schema. */
  readonly forSchema: string;
}

const parameters = {
  json_schema: 'response_format',
  llama: 'response_format',
  json_object: 'response_format',
  anthropic: 'output_config.format',
} as const satisfies Record<Constraint['form'], string>;

/** The constraint of a request, if its model knows any. */
export function constraintOf(
  { replySchema: schema }: Pick<CompletionRequest, 'replySchema'>,
  { structured }: ModelTraits,
): Constraint | undefined {
  if (schema === undefined || structured === 'none') return undefined;
  const form = structured === 'json_object' || schema === null ? 'json_object' : structured.form;
  if (form === 'json_object' && structured !== 'json_object' && structured.form === 'anthropic')
    return undefined; // it knows no mere JSON
  const parameter = parameters[form];
  return {
    form,
    schema: form === 'json_object' ? null : schema,
    parameter,
    forSchema: `${parameter}#${digestOf(schema)}`,
  };
}

/** Nobody can tell from what is remembered which schemas were sent. */
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
