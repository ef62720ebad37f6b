import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type OfferedTool, type ParseOptions, parseCompletion } from '../src/parsing/index.js';

/** What a parser is given of a case: a line of its input. */
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

/** What the parser of this project makes of a reply, in the words of the cases. */
export function outcomeOf({ id, text, tools, finish_reason }: Reply) {
  const read = parseCompletion(text, toOffered(tools), finish_reason ? { finishReason: finish_reason } : {});
  const { outcome, dialect, thought, reasoning, answer, repairs, discarded, answerLabelled: labelled } = read;
  const action = read.action && {
    tool_name: read.action.toolName,
    tool_args: read.action.toolArgs,
    raw: read.action.raw,
  };
  const problem = read.problem !== null;
  return {
    id,
    outcome,
    ...action,
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

/** The tools of a reply as the parser takes them. */
export const toOffered = (tools: Reply['tools']): OfferedTool[] =>
  tools.map(({ name, parameters, input_schema: inputSchema }) => ({
    name,
    parameters,
    ...(inputSchema && { inputSchema }),
  }));

/** Run as a program it is a command for the runners: replies on stdin, outcomes on stdout, one a line. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(outcomeOf(JSON.parse(line))));
  }
}
