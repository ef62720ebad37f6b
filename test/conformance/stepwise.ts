import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type OfferedTool, type ParseOptions, parseCompletion } from '../../src/parsing/index.js';

/** The part of a case that a parser receives as one line of its input. */
export interface Reply {
  readonly id: string;
  readonly text: string;
  readonly tools: readonly {
    readonly name: string;
    readonly parameters: readonly string[];
    readonly input_schema?: Readonly<Record<string, unknown>>;
  }[];
  readonly finish_reason?: NonNullable<ParseOptions['finishReason']>;
}

/** Reads a reply with this project's parser and returns the outcome in the format of the cases. */
export function outcomeOf({ id, text, tools, finish_reason }: Reply) {
  const read = parseCompletion(text, toOffered(tools), finish_reason ? { finishReason: finish_reason } : {});
  const { outcome, dialect, thought, reasoning, answer, repairs, discarded, answerLabelled: labelled } = read;
  const action = read.action && {
    tool_name: read.action.toolName,
    tool_args: read.action.toolArgs,
    raw: read.action.raw,
  };
  const problem = read.problem !== null;
  const further = read.outcome === 'action' ? read.additionalActions : undefined;
  const additional = further?.map(({ toolName: tool_name, toolArgs: tool_args }) => ({
    tool_name,
    tool_args,
  }));
  return {
    id,
    outcome,
    ...action,
    ...(additional && { additional }),
    dialect,
    thought,
    reasoning,
    answer,
    labelled,
    problem,
    repairs,
    discarded,
  };
}

/** Converts the tools of a case to the parser's format. */
export const toOffered = (tools: Reply['tools']): OfferedTool[] =>
  tools.map(({ name, parameters, input_schema: inputSchema }) => ({
    name,
    parameters,
    ...(inputSchema && { inputSchema }),
  }));

// Run as a program, this module is a command for the runners: replies on stdin, outcomes on stdout, one a line.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(outcomeOf(JSON.parse(line))));
  }
}
