import { createHmac, randomBytes } from 'node:crypto';
import type { Warning } from '../../contract/step.js';
import type { CompletionRequest } from '../step/provider.js';
import type { ModelTraits } from './models/model-traits.js';

/** The constraint that a request puts on its reply, and the keys under which a provider's refusal is cached. */
export interface Constraint {
  readonly form: 'json_schema' | 'llama' | 'anthropic' | 'json_object';
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Key under which a refusal is cached if the model supports no constraint of this form. */
  readonly parameter: string;
  /** Key under which a refusal is cached if the model refuses this particular schema. */
  readonly forSchema: string;
}

const parameters = {
  json_schema: 'response_format',
  llama: 'response_format',
  json_object: 'response_format',
  anthropic: 'output_config.format',
} as const satisfies Record<Constraint['form'], string>;

/**
 * Returns the constraint to send, unless the provider has refused it before. In that case returns a warning
 * instead.
 */
export function chooseConstraint(
  settings: Pick<CompletionRequest, 'replySchema'>,
  traits: ModelTraits,
  refused: ReadonlySet<string>,
): { readonly constraint: Constraint | undefined; readonly warnings: readonly Warning[] } {
  const asked = constraintOf(settings, traits);
  return asked && isRefused(refused, asked)
    ? { constraint: undefined, warnings: [constraintDropped] }
    : { constraint: asked, warnings: [] };
}

/** Returns the constraint that the request asks for, if the model supports any. */
function constraintOf(
  { replySchema: schema }: Pick<CompletionRequest, 'replySchema'>,
  { structured }: ModelTraits,
): Constraint | undefined {
  if (schema === undefined || structured === 'none') return undefined;
  const form = structured === 'json_object' || schema === null ? 'json_object' : structured.form;
  // Anthropic has no mode for JSON without a schema.
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

/** Random, so that a cached digest does not reveal which schema was sent. */
const digestKey = randomBytes(32);
const digestOf = (schema: unknown): string =>
  createHmac('sha256', digestKey).update(JSON.stringify(schema)).digest('hex').slice(0, 16);

const isRefused = (refused: ReadonlySet<string>, { parameter, forSchema }: Constraint): boolean =>
  refused.has(parameter) || refused.has(forSchema);

/** The warning for a constraint that is not sent. */
const constraintDropped = {
  code: 'constraint_dropped',
  message:
    'The provider does not accept a reply schema: the prompt describes the form instead, and the service checks the reply.',
} as const;
