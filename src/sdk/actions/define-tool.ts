import type { ToolDefinition } from '../../contract/tool.js';

/** The arguments of a call, by their names. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a tool is given beside its arguments. */
export interface ToolContext {
  /** Fires when the run is stopped; a tool that is still at work then should give up. */
  readonly signal: AbortSignal;
  /** The id of the call; the same in `preview` and `execute`. Other runs have calls of the same id. */
  readonly callId: string;
  /** The run's, as sent with every step; absent where a tool is called without a run. */
  readonly sessionId?: string | undefined;
  /** Shows a piece of what the tool says while it works, in the event `tool_output`; the model reads only what it returns. */
  readonly onOutput?: ((piece: string) => void) | undefined;
}

/** What a preview is given beside the arguments of the call. */
export interface PreviewContext extends ToolContext {
  /** The calls of the same step that were cleared before and will run before this one, in their order. */
  readonly earlierCallIds: readonly string[];
  /** A person was shown the call, has changed its arguments, and is not asked again. */
  readonly edited?: boolean;
}

/** A tool the run can execute. Whatever it returns becomes the observation: text as it is, all else as JSON. */
export interface Tool extends ToolDefinition {
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  /** Milliseconds after which the run gives the call up; default: the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Runs the call. What it throws, and `{ success: false, error }`, is an observation that says it failed. */
  execute(args: ToolArguments, context: ToolContext): unknown;
  /** What the call would do, for the person who is asked to approve it: a diff, a command. */
  readonly preview?: ((args: ToolArguments, context: PreviewContext) => Promise<string>) | undefined;
}

/** The part of a parameter's JSON Schema from which the type of its argument is inferred. */
export interface ParameterSchema {
  /** Without it the argument is one of `enum`, or of any type. */
  readonly type?: keyof TypeOf | undefined;
  /** For the model. */
  readonly description?: string | undefined;
  /** The only values allowed. */
  readonly enum?: readonly unknown[] | undefined;
  /** Of an array: the schema of each item. */
  readonly items?: ParameterSchema | undefined;
  readonly [keyword: string]: unknown;
}

/** A JSON Schema from which the types of the arguments are inferred where it is written in place. */
export interface InputSchema {
  readonly type: 'object';
  /** The arguments by their names; their order names positional ones. */
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  /** The arguments that must be there. */
  readonly required?: readonly string[] | undefined;
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

/** The arguments a schema allows; of a schema that was made elsewhere, such as by Zod, arguments of any type. */
export type ArgumentsOf<Schema> = Schema extends InputSchema
  ? {
      readonly [Name in RequiredName<Schema>]: ParameterType<Schema['properties'][Name]>;
    } & {
      readonly [Name in Exclude<keyof Schema['properties'], RequiredName<Schema>>]?:
        | ParameterType<Schema['properties'][Name]>
        | undefined;
    }
  : ToolArguments;

/** What `defineTool` makes a tool of. */
export interface ToolSpecification<Schema> {
  /** As the model calls it; unique in a run, without white space, quotes and brackets. */
  readonly name: string;
  /** For the model: what the tool does, and when to use it. */
  readonly description: string;
  /** JSON Schema of the arguments; the order of its properties names positional arguments. */
  readonly inputSchema: Schema;
  /** `readOnlyHint`: it changes nothing. `requiresApproval`: a person is asked before it runs. */
  readonly annotations?:
    | { readonly readOnlyHint?: boolean | undefined; readonly requiresApproval?: boolean | undefined }
    | undefined;
  /** Milliseconds after which the run gives the call up; default: the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Runs the call. What it throws, and `{ success: false, error }`, is an observation that says it failed. */
  execute(args: ArgumentsOf<Schema>, context: ToolContext): unknown;
  /** What the call would do, for the person who is asked to approve it: a diff, a command. */
  readonly preview?: ((args: ArgumentsOf<Schema>, context: PreviewContext) => Promise<string>) | undefined;
}

/**
 * A tool whose argument types follow from its schema. The run checks every call against the schema before
 * `execute` sees it (see `findArgumentProblem`), so the types hold.
 */
export function defineTool<const Schema extends InputSchema | ToolArguments>(
  specification: ToolSpecification<Schema>,
): Tool {
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
