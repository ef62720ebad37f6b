import type { ToolDefinition } from '../../contract/tool.js';

export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a tool is given beside its arguments. */
export interface ToolContext {
  /** Fires when the run is stopped; a tool that is still at work then should give up. */
  readonly signal: AbortSignal;
  /** The id of the call; the same in `preview` and `execute`. */
  readonly callId: string;
}

/** A tool the run can execute. Whatever it returns becomes the observation: text as it is, all else as JSON. */
export interface Tool extends ToolDefinition {
  readonly description: string;
  /** Milliseconds after which the run gives the call up; default: the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  execute(args: ToolArguments, context: ToolContext): unknown;
  /** What the call would do, for the person who is asked to approve it: a diff, a command. */
  preview?(args: ToolArguments, context: ToolContext): Promise<string>;
}

/** The part of JSON Schema from which argument types are inferred, and against which arguments are checked. */
export interface ParameterSchema {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly items?: ParameterSchema;
  readonly [keyword: string]: unknown;
}

export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required?: readonly string[];
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
    : TypeOf[Parameter['type']];

type RequiredName<Schema extends InputSchema> = Schema extends { required: readonly (infer Name)[] }
  ? Name & keyof Schema['properties']
  : never;

/** The arguments a schema allows. */
export type ArgumentsOf<Schema extends InputSchema> = {
  readonly [Name in RequiredName<Schema>]: ParameterType<Schema['properties'][Name]>;
} & {
  readonly [Name in Exclude<keyof Schema['properties'], RequiredName<Schema>>]?:
    | ParameterType<Schema['properties'][Name]>
    | undefined;
};

export interface ToolSpecification<Schema extends InputSchema> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly requiresApproval?: boolean };
  readonly timeoutMs?: number;
  execute(args: ArgumentsOf<Schema>, context: ToolContext): unknown;
  preview?(args: ArgumentsOf<Schema>, context: ToolContext): Promise<string>;
}

/**
 * A tool whose argument types follow from its schema. The run checks every call against the schema before
 * `execute` sees it (see `findArgumentProblem`), so the types hold.
 */
export function defineTool<const Schema extends InputSchema>(specification: ToolSpecification<Schema>): Tool {
  const { execute, preview, annotations, ...definition } = specification;
  // `run` calls these only with arguments that passed the check against this very schema.
  const typed = (args: ToolArguments) => args as ArgumentsOf<Schema>;
  return {
    ...definition,
    annotations: { readOnlyHint: annotations?.readOnlyHint, requiresApproval: annotations?.requiresApproval },
    execute: (args, context) => execute(typed(args), context),
    ...(preview && { preview: (args, context) => preview(typed(args), context) }),
  };
}
