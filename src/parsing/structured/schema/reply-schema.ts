import type { OfferedTool } from '../../arguments/offered-tool.js';
import type { Pause } from '../../pause.js';
import { isJsonObject, type JsonValue, type Scanner } from '../../text/scanner.js';
import { type AnswerForm, convertAnswer, textAnswer } from './answer-form.js';
import { convertSchema } from './convert-schema.js';
import { nullableImage, readJson, type SchemaObject } from './image.js';
import type { SchemaDialect } from './schema-dialect.js';
import { ARGUMENTS_LEVEL, MAX_SCHEMA_LENGTH, Total } from './schema-size.js';

/** The schema for every reply of a run, and the conversion of a reply's values back to the tools' own schemas. */
export interface ReplySchema {
  readonly schema: SchemaObject;
  /**
   * Tools whose arguments the schema does not fully describe, with the paths of the values without a schema; null for a
   * tool whose arguments have no schema at all.
   */
  readonly free: ReadonlyMap<string, readonly string[] | null>;
  readonly restoreArguments: RestoreArguments;
  readonly answerKey: 'final_answer' | 'action';
  readonly answer: AnswerForm;
}

/**
 * Converts arguments that match the reply schema to the tool's arguments. Returns undefined for arguments that do not
 * match: the model was not constrained, so they are used as written. Adds to `reading` the duplicate keys and the
 * problems in values without a schema.
 */
export type RestoreArguments = (tool: string, value: JsonValue, reading: Scanner) => JsonValue | undefined;

/**
 * Builds the schema of a reply: an action of an offered tool, with one branch for each tool in order, or an answer
 * (rule: reply-schema). Null if the schema would be too large even without the arguments' schemas. `pause` is called
 * before each tool, since converting many schemas can take seconds.
 */
export function buildReplySchema(
  tools: readonly OfferedTool[],
  dialect: SchemaDialect,
  pause: Pause,
): Promise<ReplySchema | null> {
  return buildTypedReplySchema(tools, { dialect }, pause);
}

interface ReplyNeeds {
  readonly dialect: SchemaDialect;
  readonly answerSchema?: SchemaObject | undefined;
  /** True if the reply must be an action, so that the schema has no branch for an answer. */
  readonly mustAct?: boolean;
}

/** Builds the schema of a reply. If `answerSchema` is given, it describes the answer (rule: typed-answers). */
export async function buildTypedReplySchema(
  tools: readonly OfferedTool[],
  { dialect, answerSchema, mustAct = false }: ReplyNeeds,
  pause: Pause,
): Promise<ReplySchema | null> {
  const total = new Total(dialect);
  const answer = answerSchema ? convertAnswer(answerSchema, dialect, ARGUMENTS_LEVEL) : textAnswer;
  total.add(answer.size);
  const branches: Branch[] = [];
  for (const tool of tools) {
    const characters = JSON.stringify(tool.inputSchema ?? '').length;
    await pause();
    const { name, inputSchema } = tool;
    branches.push(
      branchFor(name, characters > MAX_SCHEMA_LENGTH ? undefined : inputSchema, { dialect, total }),
    );
  }
  const byTool = new Map(branches.map((branch) => [branch.tool, branch]));
  if (total.isExceeded) return null;
  return {
    schema: replyOf(branches.length > 0 ? branches.map(({ schema }) => schema) : [anyTool(dialect)], {
      dialect,
      answer: mustAct ? undefined : answer.image.schema,
    }),
    free: new Map(branches.flatMap(({ tool, free }) => (free?.length === 0 ? [] : [[tool, free]]))),
    restoreArguments: (tool, value, reading) =>
      (byTool.get(tool)?.restore ?? freeRestore(dialect))(value, reading),
    answerKey: dialect.unionAtRoot ? 'final_answer' : 'action',
    answer,
  };
}

interface Branch {
  readonly tool: string;
  readonly schema: SchemaObject;
  readonly free: readonly string[] | null;
  /** Converts arguments back; returns undefined if they do not match the schema. */
  restore(value: JsonValue, reading: Scanner): JsonValue | undefined;
}

function branchFor(
  name: string,
  inputSchema: OfferedTool['inputSchema'],
  { dialect, total }: { readonly dialect: SchemaDialect; readonly total: Total },
): Branch {
  const tool = { type: 'string', const: name };
  total.add({ properties: 2, characters: 'toolargs'.length + name.length });
  const converted = inputSchema && convertSchema(inputSchema, dialect, ARGUMENTS_LEVEL);
  if (!converted || !total.takes(converted.size)) {
    return {
      tool: name,
      schema: action(tool, freeArguments(dialect)),
      free: null,
      restore: freeRestore(dialect),
    };
  }
  total.add(converted.size);
  const { schema, free, matches, restore } = converted;
  const restoreMatching: Branch['restore'] = (value, reading) =>
    matches(value) ? restore(value, reading) : undefined;
  return { tool: name, schema: action(tool, schema), free, restore: restoreMatching };
}

/** Returns the conversion of arguments without a schema, which the model writes as an object or as its JSON text. */
const freeRestore =
  ({ openValues }: SchemaDialect): Branch['restore'] =>
  (written, reading) => {
    if (openValues) return isJsonObject(written) ? written : undefined;
    const value = typeof written === 'string' ? readJson(written, reading) : undefined;
    return isJsonObject(value) ? value : undefined;
  };

const freeArguments = ({ openValues }: SchemaDialect): SchemaObject =>
  openValues
    ? { type: 'object' }
    : { type: 'string', description: 'the arguments: one JSON object, written as text' };

const action = (tool: SchemaObject, args: SchemaObject): SchemaObject => closedObject({ tool, args });

/** Returns the schema for an action of any tool, used if the request has no readable tool. */
const anyTool = (dialect: SchemaDialect): SchemaObject => action({ type: 'string' }, freeArguments(dialect));

function replyOf(
  actions: readonly SchemaObject[],
  {
    dialect: { unionAtRoot },
    answer,
  }: { readonly dialect: SchemaDialect; readonly answer: SchemaObject | undefined },
): SchemaObject {
  const thought = { type: 'string' };
  const acting = actions.length === 1 ? actions[0] : { anyOf: actions };
  if (!answer) return closedObject({ thought, action: acting });
  if (!unionAtRoot)
    return closedObject({ thought, action: { anyOf: [...actions, closedObject({ final_answer: answer })] } });
  return {
    anyOf: [closedObject({ thought, action: acting }), closedObject({ thought, final_answer: answer })],
  };
}

/**
 * Returns the schema of the control object of the phase `observe`. Its `final_answer` has the given form, or is null if
 * there is no answer.
 */
export function observeSchemaFor({ image }: AnswerForm): SchemaObject {
  return observeSchema(nullableImage(image).schema);
}

/**
 * The schema of the control object of each phase. The model writes prose in the field `thought` (rule: phase-control).
 */
export const controlSchemas = {
  reason: closedObject({
    thought: { type: 'string' },
    plan: { type: 'string' },
    tools_to_consider: { type: 'array', items: { type: 'string' } },
    finish: { type: 'boolean' },
  }),
  observe: observeSchema({ anyOf: [{ type: 'string' }, { type: 'null' }] }),
} as const;

function observeSchema(finalAnswer: SchemaObject): SchemaObject {
  return closedObject({
    thought: { type: 'string' },
    observation: { type: 'string' },
    should_continue: { type: 'boolean' },
    final_answer: finalAnswer,
  });
}

function closedObject(properties: SchemaObject): SchemaObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
