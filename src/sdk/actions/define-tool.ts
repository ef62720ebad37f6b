import type { ToolDefinition } from '../../contract/tool.js';
import { isObject } from '../../conversation/is-object.js';
import {
  checkBy,
  type DescribedSchema,
  isDescribed,
  isStandard,
  jsonSchemaOf,
  type StandardSchema,
} from '../base/standard-schema.js';
import { checkTool } from './check-tool.js';
import { ToolError } from './tool-errors.js';

/** The arguments of a call, by name. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** The second argument of a tool's `execute`. */
export interface ToolContext {
  /** Fires when the run is stopped or the tool's time is up; the tool should stop its work then. */
  readonly signal: AbortSignal;
  /** Id of the call, the same in `preview` and `execute`. Unique within one run only. */
  readonly callId: string;
  /** Session id of the run; absent if the tool is called outside a run. */
  readonly sessionId?: string | undefined;
  /** Reports output of the running tool as an event `tool_output`. The model reads only the value that the tool returns. */
  readonly onOutput?: ((delta: string) => void) | undefined;
}

/** The second argument of a tool's `preview`. */
export interface PreviewContext extends ToolContext {
  /** Ids of the calls of the same step that will run before this one, in that order. */
  readonly earlierCallIds: readonly string[];
  /** True if a person has edited the arguments of this call and will not be asked again. */
  readonly edited?: boolean;
}

/**
 * A call of a tool that runs shell commands, in the form in which the rules of the decision "always" compare calls
 * (rule: always-rules).
 */
export interface ShellCall {
  /** The command line. */
  readonly command: string;
  /**
   * The arguments besides the command, with the real path of each folder, so that a rule does not cover another
   * folder after a symbolic link changes.
   */
  readonly others: ToolArguments;
  /** Returns true if a path of the command lies inside the tool's folder after all links are resolved. */
  isInside(path: string): Promise<boolean>;
}

/**
 * A tool that a run can execute. Its return value becomes the observation: strings unchanged, other values as JSON. To
 * return images and PDF files with a text, it returns `{ content, attachments }`; each attachment has a `media_type`
 * and `data` in base64.
 */
export interface Tool extends ToolDefinition {
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /**
   * If true, the prompt omits the schema until the model has found the tool with `find_tools`; if false, the prompt
   * always includes it. By default, a tool is deferred if it no longer fits into the token budget for tools (rule:
   * deferring).
   */
  readonly defer?: boolean | undefined;
  /** Time limit of one call in milliseconds; default: the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Runs the call. An exception or a result `{ success: false, error }` becomes an observation that reports the failure. */
  execute(args: ToolArguments, context: ToolContext): unknown;
  /** Returns the effect of the call for the person who approves it, such as a diff or a command. */
  readonly preview?: ((args: ToolArguments, context: PreviewContext) => string | Promise<string>) | undefined;
  /**
   * Returns the shell command of a call. Only tools that run shell commands have this function, and rules for commands
   * are proposed only for them.
   */
  readonly readShellCall?: ((args: ToolArguments) => Promise<ShellCall>) | undefined;
}

/** The part of a parameter's JSON Schema from which the type of its argument is inferred. */
export interface ParameterSchema {
  /** JSON type of the argument; without `type` and `enum`, a value of any type. */
  readonly type?: keyof TypeOf | undefined;
  /** Tells the model what the argument means. */
  readonly description?: string | undefined;
  /** The allowed values. */
  readonly enum?: readonly unknown[] | undefined;
  /** Schema of each item of an array. */
  readonly items?: ParameterSchema | undefined;
  /** Further keywords of JSON Schema. */
  readonly [keyword: string]: unknown;
}

/** A JSON Schema. If it is written inline, TypeScript infers the types of the arguments from it. */
export interface InputSchema {
  /** Always `object`, because the arguments of a call are an object. */
  readonly type: 'object';
  /** The arguments by name. Positional arguments get these names in this order. */
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  /** Names of the required arguments. */
  readonly required?: readonly string[] | undefined;
  /** Further keywords of JSON Schema. */
  readonly [keyword: string]: unknown;
}

interface TypeOf {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  array: readonly unknown[];
  object: ToolArguments;
}

type ParameterType<Parameter extends ParameterSchema> = Parameter extends { enum: readonly (infer Value)[] }
  ? Value
  : Parameter extends { type: 'array'; items: infer Item extends ParameterSchema }
    ? readonly ParameterType<Item>[]
    : Parameter extends { type: infer Type extends keyof TypeOf }
      ? TypeOf[Type]
      : unknown;

type RequiredName<Schema extends InputSchema> = Schema extends { required: readonly (infer Name)[] }
  ? Name & keyof Schema['properties']
  : never;

/**
 * The schema of a tool's arguments: of Zod or any other library of Standard Schema, or a JSON Schema. Only a JSON Schema that is
 * written inline gives the arguments a type.
 */
export type ToolSchema = InputSchema | ToolArguments | StandardSchema | DescribedSchema;

/** The type of the arguments that a schema allows; `ToolArguments` for a JSON Schema that is not written inline. */
export type ArgumentsOf<Schema> =
  Schema extends StandardSchema<infer Output>
    ? Output
    : Schema extends DescribedSchema<infer Output>
      ? Output
      : JsonArgumentsOf<Schema>;

type JsonArgumentsOf<Schema> = Schema extends InputSchema
  ? {
      readonly [Name in RequiredName<Schema>]: ParameterType<Schema['properties'][Name]>;
    } & {
      readonly [Name in Exclude<keyof Schema['properties'], RequiredName<Schema>>]?:
        | ParameterType<Schema['properties'][Name]>
        | undefined;
    }
  : ToolArguments;

/** The argument of `defineTool`. */
export interface ToolSpecification<Schema> {
  /** Name by which the model calls the tool: unique within a run, without white space, quotes and brackets. */
  readonly name: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /**
   * The schema of the arguments: of Zod or any other library of Standard Schema, or a JSON Schema. Positional arguments get the
   * names of its properties in this order.
   */
  readonly inputSchema: Schema;
  /** `readOnlyHint`: the tool changes nothing. `requiresApproval`: a person must approve each call. */
  readonly annotations?:
    | {
        /** The tool changes nothing: its calls may run in parallel. */
        readonly readOnlyHint?: boolean | undefined;
        /** A person must approve each call. */
        readonly requiresApproval?: boolean | undefined;
      }
    | undefined;
  /**
   * If true, the prompt omits the schema until the model has found the tool with `find_tools`; if false, the prompt
   * always includes it. By default, a tool is deferred if it no longer fits into the token budget for tools (rule:
   * deferring).
   */
  readonly defer?: boolean | undefined;
  /** Time limit of one call in milliseconds; default: the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Runs the call. An exception or a result `{ success: false, error }` becomes an observation that reports the failure. */
  execute(args: ArgumentsOf<Schema>, context: ToolContext): unknown;
  /** Returns the effect of the call for the person who approves it, such as a diff or a command. */
  readonly preview?:
    | ((args: ArgumentsOf<Schema>, context: PreviewContext) => string | Promise<string>)
    | undefined;
}

/**
 * Defines a tool whose argument types TypeScript infers from its schema. Every call is checked against the schema
 * before `execute` is called, so the types are true at run time; a schema of a library may also transform the
 * arguments. Throws `TypeError` for a specification that is no tool, such as a tool in a vendor's format.
 */
export function defineTool<const Schema extends ToolSchema>(specification: ToolSpecification<Schema>): Tool {
  checkTool(specification, 'defineTool', '');
  const { execute, preview, annotations, inputSchema, ...definition } = specification;
  const read = argumentReader(inputSchema);
  expectObjectSchema(specification.name, read?.jsonSchema ?? inputSchema);
  // Casts arguments to the schema's type. The run calls `execute` and `preview` only with arguments that passed the
  // check against the JSON Schema, and the schema of a library returns its own type.
  const typed = (args: unknown) => args as ArgumentsOf<Schema>;
  const tool: Tool = {
    ...definition,
    inputSchema: read?.jsonSchema ?? (inputSchema as ToolArguments), // the only kind left
    annotations: { readOnlyHint: annotations?.readOnlyHint, requiresApproval: annotations?.requiresApproval },
    execute: (args, context) => execute(typed(args), context),
    ...(preview && { preview: (args, context) => preview(typed(args), context) }),
  };
  if (!read) return tool;
  return {
    ...tool,
    execute: async (args, context) => execute(typed(await read.parse(args)), context),
    ...(preview && { preview: async (args, context) => preview(typed(await read.parse(args)), context) }),
  };
}

/** Throws for a schema that accepts no object: the arguments of a call are an object. */
function expectObjectSchema(name: string, schema: unknown): void {
  const { type = 'object' } = isObject(schema) ? schema : {};
  if ([type].flat().includes('object')) return;
  throw new TypeError(
    `defineTool ("${name}").inputSchema: expected the schema of an object, whose fields are the arguments.`,
  );
}

interface ArgumentReader {
  readonly jsonSchema: ToolArguments;
  /** Returns the arguments in the type of the schema. Throws `ToolError` if they do not fit the schema. */
  parse(args: ToolArguments): Promise<unknown>;
}

/**
 * Returns a reader that checks and converts arguments with the schema of a library; undefined for a plain JSON Schema.
 */
function argumentReader(given: unknown): ArgumentReader | undefined {
  if (isStandard(given)) return reader(given, jsonSchemaOf(given, 'inputSchema'));
  return isDescribed(given) ? reader(given.schema, given.jsonSchema) : undefined;
}

const reader = (schema: StandardSchema, jsonSchema: ToolArguments): ArgumentReader => ({
  jsonSchema,
  parse: async (args) => {
    const checked = await checkBy(schema, args);
    if (checked.problem !== null) throw new ToolError(`The arguments do not fit: ${checked.problem}.`);
    return checked.value;
  },
});
