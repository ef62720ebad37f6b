import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { compactionSchema } from '../../../src/contract/compaction.js';
import { turnSchema } from '../../../src/contract/history.js';
import { modelListSchema } from '../../../src/contract/model-list.js';
import { previewSchema } from '../../../src/contract/preview.js';
import { errorResponseSchema, stepSchema } from '../../../src/contract/step.js';
import { stepRequestSchema } from '../../../src/contract/step-request.js';
import { streamEventSchema } from '../../../src/contract/stream.js';
import { toolDefinitionSchema } from '../../../src/contract/tool.js';
import { isObject } from '../../../src/conversation/is-object.js';
import { type Check, listOf, optional } from '../../../src/sdk/base/shape.js';
import {
  isCompaction,
  isError,
  isErrorResponse,
  isModelList,
  isPreview,
  isStep,
  isStreamEvent,
  isTask,
  isTool,
  isTurn,
} from '../../../src/sdk/base/wire-shapes.js';

type Json = z.core.JSONSchema.JSONSchema;

const tasks = stepRequestSchema.shape.tasks;
const pairs: [string, z.ZodType, Check][] = [
  ['Step', stepSchema, isStep],
  ['ErrorResponse', errorResponseSchema, isErrorResponse],
  ['StepError', errorResponseSchema.shape.error, isError],
  ['Preview', previewSchema, isPreview],
  ['Compaction', compactionSchema, isCompaction],
  ['ModelList', modelListSchema, isModelList],
  ['Turn', turnSchema, isTurn],
  ['ToolDefinition', toolDefinitionSchema, isTool],
  ['TodoItem[]', tasks, optional(listOf(isTask))],
  ['StreamEvent', streamEventSchema, isStreamEvent],
];

test.each(pairs)('the SDK accepts every value of the schema %s of the contract', (_, schema, check) => {
  fc.assert(fc.property(valuesOf(schema), (value) => expect(check(value)).toBe(hasOutcome(value))));
});

test.each(
  pairs,
)('the SDK accepts a damaged %s if and only if the schema does, apart from documented leniency', (_, schema, check) => {
  const damage = fc.constantFrom<unknown>(undefined, null, 7, 1.5, 'x', true, [], {}, [null]);
  fc.assert(
    fc.property(valuesOf(schema), fc.nat(), damage, (value, place, replacement) => {
      const damaged = replaceAt(value, place, replacement);
      const isAllowed = allows(schema, damaged) && hasOutcome(damaged);
      expect({ damaged, isAllowed: check(damaged) }).toEqual({ damaged, isAllowed });
    }),
    { numRuns: 500 },
  );
});

/** Generates values of a schema, with a few short texts and small numbers. */
function valuesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return ofJsonSchema(json, json.$defs ?? {});
}

function ofJsonSchema(schema: Json, definitions: Record<string, Json>): fc.Arbitrary<unknown> {
  const inner = (each: unknown) => ofJsonSchema(each as Json, definitions);
  if (schema.$ref) return inner(definitions[schema.$ref.replace('#/$defs/', '')]);
  if (schema.allOf) return inner(schema.allOf[0]);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map(inner));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: string) => inner({ ...schema, type })));
  }
  if (schema.type === 'array') return fc.array(inner(schema.items), { maxLength: 2 });
  if (schema.type === 'object' && schema.properties) {
    const entries = Object.entries(schema.properties).map(([name, field]) => [name, inner(field)] as const);
    const fields: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(entries);
    return fc.record(fields, { requiredKeys: schema.required ?? [], noNullPrototype: true });
  }
  return leaves[String(schema.type)] ?? fc.jsonValue({ maxDepth: 1 });
}

const leaves: Record<string, fc.Arbitrary<unknown>> = {
  object: fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue({ maxDepth: 1 })),
  string: fc.constantFrom('a', 'b'),
  integer: fc.nat(9),
  number: fc.nat(9),
  boolean: fc.boolean(),
  null: fc.constant(null),
};

/** Replaces one of the values inside `value`, or deletes it if the replacement is `undefined`. */
function replaceAt(value: unknown, place: number, replacement: unknown): unknown {
  let count = 0;
  JSON.parse(JSON.stringify(value), (_, each: unknown) => {
    count += 1;
    return each;
  });
  let left = place % count;
  const changed: unknown = JSON.parse(JSON.stringify(value), (_, each: unknown) =>
    left-- === 0 ? replacement : each,
  );
  // A deleted item leaves a hole in an array, which JSON writes as null.
  return JSON.parse(JSON.stringify(changed) ?? 'null');
}

/** Fields that the contract requires but the SDK does not. */
const dispensable: readonly unknown[] = [
  'session_id',
  'request_id',
  'warnings',
  'details',
  'raw_action_string',
  'requires_approval',
  'native_tools',
  'prompt_sha256',
  'context_report',
  'tokens_before',
  'tokens_after',
];

/** Fields of a failure without a step that the contract requires but the SDK does not. */
const dispensableInFailures: readonly unknown[] = ['additional_actions', 'new_turns'];

const isDispensable = (schema: z.ZodType, path: readonly PropertyKey[]): boolean =>
  dispensable.includes(path.at(-1)) ||
  ((schema === errorResponseSchema || path[0] === 'error') && dispensableInFailures.includes(path.at(-1)));

/** Returns whether the schema accepts the value, with the leniency that `wire-shapes.ts` describes. */
function allows(schema: z.ZodType, value: unknown): boolean {
  const normal = withNullsExchanged(schema, value);
  const issues = schema.safeParse(normal).error?.issues ?? [];
  return issues.every(({ code, path }) => {
    const found = path.reduce(fieldOf, normal);
    if (code === 'invalid_type') return (found ?? null) === null && isDispensable(schema, path);
    const isEnum = code === 'invalid_value' || code === 'invalid_union';
    return isEnum && isOpen(path) && typeof found === 'string';
  });
}

/** Exchanges absent fields and null fields if the schema accepts only the other: both mean the same. */
function withNullsExchanged(schema: z.ZodType, value: unknown): unknown {
  const copy: unknown = structuredClone(value);
  for (const { path } of schema.safeParse(value).error?.issues ?? []) {
    const parent = path.slice(0, -1).reduce(fieldOf, copy);
    const name = path.at(-1);
    if (!isObject(parent) || typeof name !== 'string') continue;
    if (parent[name] === undefined) Object.assign(parent, { [name]: null });
    else if (parent[name] === null) Reflect.deleteProperty(parent, name);
  }
  return copy;
}

const isOpen = (path: readonly PropertyKey[]): boolean =>
  !['role', 'status'].includes(String(path.at(-1))) || path.includes('items') || path.includes('messages');

const fieldOf = (value: unknown, name: PropertyKey): unknown => (value as Record<PropertyKey, unknown>)[name];

/**
 * Returns whether a step has the action or error that its status announces, which the schema does not check. True for a
 * value that is not a step.
 */
function hasOutcome(value: unknown): boolean {
  if (!isObject(value)) return true;
  const { status, action_details, error, step, new_turns } = value;
  if (step !== undefined) return hasOutcome(step);
  if (new_turns === undefined) return true;
  return (
    (status !== 'action_proposed' || isObject(action_details)) && (status !== 'error' || isObject(error))
  );
}
