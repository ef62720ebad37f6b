import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { OfferedTool } from '../../../src/service/parsing/arguments/offered-tool.js';
import type { ParsedCompletion } from '../../../src/service/parsing/parse-completion.js';

export type Tier = 'core' | 'neg' | 'ruling' | 'repair';

export interface ParserCase {
  readonly id: string;
  readonly tier: Tier;
  readonly style: string;
  readonly wrap: string;
  readonly text: string;
  readonly thought: string | null;
  readonly raw: string | null;
  readonly expect: { readonly tool_name: string; readonly tool_args: Record<string, unknown> } | null;
}

/** The given cases of `test/vectors` with the tools they are offered. */
export function loadVectors(): { tools: OfferedTool[]; cases: ParserCase[] } {
  const [head = '', ...lines] = readFileSync('test/vectors/actions.jsonl', 'utf8').trim().split('\n');
  const { tools }: { tools: { name: string; params: string[] }[] } = JSON.parse(head);
  return {
    tools: tools.map(({ name, params }) => ({ name, parameters: params })),
    cases: lines.map((line): ParserCase => JSON.parse(line)),
  };
}

/** What is wrong with a reading of a case, by the rules of reading; empty if nothing is. */
export function faults(each: ParserCase, parsed: ParsedCompletion): string[] {
  if (each.expect === null) return answerFaults(each, parsed);
  if (!parsed.action) return [`${parsed.outcome}: ${parsed.problem}`];
  const { toolName, toolArgs, raw } = parsed.action;
  return [
    ...(toolName === each.expect.tool_name ? [] : [`tool ${toolName}`]),
    ...(isDeepStrictEqual(toolArgs, each.expect.tool_args) ? [] : [`arguments ${JSON.stringify(toolArgs)}`]),
    ...(raw === each.raw ? [] : [`raw ${JSON.stringify(raw)}`]),
    ...(parsed.thought === each.thought ? [] : [`thought ${JSON.stringify(parsed.thought)}`]),
  ];
}

function answerFaults(each: ParserCase, parsed: ParsedCompletion): string[] {
  if (parsed.action) return [`proposed ${parsed.action.raw}`];
  const told = `${parsed.reasoning ?? ''}${parsed.thought ?? ''}${parsed.answer ?? ''}`;
  const unlabelled = (text: string): string => text.replace(/<\/?think>|Thought:|(?:Final )?Answer:|\s/g, '');
  return unlabelled(told) === unlabelled(each.text) ? [] : [`text lost: ${JSON.stringify(parsed.answer)}`];
}
