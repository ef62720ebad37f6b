import type { Tool, ToolArguments, ToolContext } from './define-tool.js';
import { searchTools } from './search-tools.js';

/**
 * Name of the tool with which the model searches deferred tools. The service offers it if any tool is deferred.
 */
export const FIND_TOOLS = 'find_tools';

/** The result of `find_tools`: a text for the model, and the names of the tools that it makes callable. */
export class FoundTools {
  readonly text: string;
  readonly names: readonly string[];

  constructor(text: string, names: readonly string[]) {
    this.text = text;
    this.names = names;
  }
}

/** Answers the calls of `find_tools`. The service offers this tool by itself, so requests do not contain it. */
export class ToolSearch implements Tool {
  readonly name = FIND_TOOLS;
  readonly description = 'Finds further tools by what they do.';
  readonly inputSchema = {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
  };
  readonly annotations = { readOnlyHint: true };
  readonly execute: (args: ToolArguments, context: ToolContext) => FoundTools;

  constructor(execute: ToolSearch['execute']) {
    this.execute = execute;
  }
}

/**
 * Creates the tool `find_tools`, which returns the names of the run's tools that fit a query (rule: find-tools). It
 * also finds tools that are not deferred, because a model that searches for one of them must not conclude that there is
 * none.
 */
export const searchAmong = (tools: readonly Tool[]): ToolSearch =>
  new ToolSearch(({ query }) => {
    const names = searchTools(tools, String(query)).map(({ name }) => name);
    return new FoundTools(names.length > 0 ? `Found: ${names.join(', ')}` : NOTHING_FOUND, names);
  });

const NOTHING_FOUND = 'No tool fits. Search with other words, or go on without.';
