import type { ToolDefinition } from '../../../contract/tool.js';
import { oneLine } from '../../../conversation/task-list.js';
import type { FoundHere } from '../../../conversation/units.js';
import type { TokenCounter } from '../../../tokens/token-counter.js';
import { listFirst } from '../list-first.js';

/** Name of the tool through which the model finds deferred tools. */
export const FIND_TOOLS = 'find_tools';

/**
 * The tool that the service offers if the request defers tools (rule: deferred-tools). The client answers calls of
 * it.
 */
export const findTools: ToolDefinition = {
  name: FIND_TOOLS,
  description:
    'Finds further tools by what they do, so that you can call them. Use it when none of the other tools fits.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'what the tool should do, in a few words, or its name' },
    },
    required: ['query'],
  },
  annotations: { readOnlyHint: true },
};

/** The list of deferred tools in the prompt. */
export interface DeferredList {
  readonly text: string;
  readonly tokens: number;
  /** Maximum number of tools that the list names. Of the others, the list states only the number. */
  readonly named: number;
}

/**
 * Lists deferred tools, one line each, in at most `limit` tokens (rule: deferred-list). The list depends only on the
 * request's tools and budget, so it stays the same when tools are found.
 */
export async function listDeferred(
  deferred: readonly ToolDefinition[],
  limit: number,
  tokens: TokenCounter,
): Promise<DeferredList> {
  if (deferred.length === 0) return { text: '', tokens: 0, named: 0 };
  let left = limit - (await tokens.count(heading + more(deferred.length)));
  const lines: string[] = [];
  for (const tool of deferred) {
    const line = lineOf(tool);
    left -= await tokens.count(line);
    if (left < 0) break;
    lines.push(line);
  }
  const named = lines.length;
  const rest = named < deferred.length ? more(deferred.length - named) : '';
  const text = named === 0 ? only(deferred.length) : heading + lines.join('') + rest;
  return { text, tokens: await tokens.count(text), named };
}

const heading = `\nFurther tools, which you can call once ${FIND_TOOLS} has found them:\n`;

const more = (count: number): string => `and ${count} more.\n`;

const only = (count: number): string =>
  `\nThere are ${count} further tools, which you can call once ${FIND_TOOLS} has found them.\n`;

const lineOf = ({ name, description = '' }: ToolDefinition): string => {
  const sentence = firstSentence(description);
  return `- ${name}${sentence && `: ${sentence}`}\n`;
};

const MAX_SENTENCE_CHARACTERS = 160;

/** Returns the first sentence of a description in one line. */
export function firstSentence(description: string): string {
  const line = oneLine(description.slice(0, 10 * MAX_SENTENCE_CHARACTERS)).trim();
  const sentence = /^.*?[.!?](?=\s|$)/u.exec(line)?.[0] ?? line;
  if (sentence.length <= MAX_SENTENCE_CHARACTERS) return sentence;
  return `${sentence.slice(0, MAX_SENTENCE_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Maximum number of tools that a note names. Of the others, the note states only the number. */
const MAX_NAMED = 20;

/**
 * Returns the text after an observation of `find_tools`, with the definitions of the found tools (rule: found-tools).
 */
export function describeFound({ names, definitions, shown }: FoundHere): string {
  if (definitions.length === 0) return `These tools can be called from now on: ${nameAll(names)}.\n`;
  const described =
    shown > 0 ? `These tools can be called from now on:\n${definitions.slice(0, shown).join('')}` : '';
  if (shown === names.length) return described;
  return `${described}These tools can be called${shown > 0 ? ', too' : ''}; ${FIND_TOOLS} shows their definitions again: ${nameAll(names.slice(shown))}.\n`;
}

const nameAll = (names: readonly string[]): string => listFirst(names, MAX_NAMED);
