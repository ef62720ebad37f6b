import { importPeer, installPeers } from '../bench/peers.js';
import type { OfferedTool } from '../src/parsing/arguments/offered-tool.js';

/** A call that a parser read. */
export interface Call {
  readonly tool: string;
  readonly args: unknown;
}
export interface Parser {
  readonly name: string;
  /** Returns null for a direct response. Throws if the parser rejects the text. */
  readonly parse: (text: string) => Promise<Call | null> | Call | null;
}

/** Loads the text parsers of JavaScript libraries; installs them into `bench/peers` if they are missing. */
export async function loadParsers(tools: readonly OfferedTool[]): Promise<Parser[]> {
  installPeers();
  return [...(await langchain(tools)), await beeai(tools)];
}

interface AgentStep {
  tool?: string;
  toolInput?: unknown;
}
type AgentParser = new (options: object) => { parse: (text: string) => Promise<AgentStep> };

/** The three text parsers of `@langchain/classic`. Decodes a string input that is JSON, since a caller would do so. */
async function langchain(tools: readonly OfferedTool[]): Promise<Parser[]> {
  const agents = await importPeer('@langchain/classic/dist/agents/index.js');
  const react = await importPeer('@langchain/classic/dist/agents/react/output_parser.js');
  const toolNames = tools.map(({ name }) => name);
  const classes: [string, unknown][] = [
    ['langchain ReAct', react['ReActSingleInputOutputParser']],
    ['langchain ZeroShot', agents['ZeroShotAgentOutputParser']],
    ['langchain StructuredChat', agents['StructuredChatOutputParser']],
  ];
  return classes.map(([name, parserClass]) => {
    // The classes have this shape in the pinned version.
    const parser = new (parserClass as AgentParser)({ toolNames });
    return { name, parse: async (text) => fromStep(await parser.parse(text)) };
  });
}

function fromStep({ tool, toolInput }: AgentStep): Call | null {
  if (tool === undefined) return null;
  return { tool, args: typeof toolInput === 'string' ? decode(toolInput) : toolInput };
}

function decode(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface LinePrefixParser {
  add: (text: string) => Promise<void>;
  end: () => Promise<void>;
  finalState: Record<string, unknown>;
}

/** Configures `LinePrefixParser` of `beeai-framework` as its ReAct agent does, with our labels. */
async function beeai(tools: readonly OfferedTool[]): Promise<Parser> {
  const { LinePrefixParser } = await importPeer('beeai-framework/dist/parsers/linePrefix.js');
  const { ZodParserField, JSONParserField } = await importPeer('beeai-framework/dist/parsers/field.js');
  const { z } = await importPeer('zod/index.js');
  // The classes have these shapes in the pinned versions.
  const Field = ZodParserField as new (schema: unknown) => unknown;
  const JsonField = JSONParserField as new (options: object) => unknown;
  const Parser = LinePrefixParser as new (nodes: object, options: object) => LinePrefixParser;
  const zod = z as {
    string: () => object;
    enum: (names: string[]) => object;
    object: (shape: object) => { passthrough: () => object };
  };
  const text = (): unknown => new Field(zod.string());
  const create = (): LinePrefixParser =>
    new Parser(
      {
        thought: { prefix: 'Thought:', next: ['tool_name', 'final_answer'], isStart: true, field: text() },
        tool_name: { prefix: 'Action:', next: ['tool_input'], isStart: true, field: text() },
        tool_input: {
          prefix: 'Action Input:',
          next: ['tool_output'],
          isEnd: true,
          field: new JsonField({ schema: zod.object({}).passthrough(), base: {}, matchPair: ['{', '}'] }),
        },
        tool_output: { prefix: 'Observation:', next: ['final_answer'], isEnd: true, field: text() },
        final_answer: { prefix: 'Final Answer:', next: [], isStart: true, isEnd: true, field: text() },
      },
      {
        waitForStartNode: true,
        endOnRepeat: true,
        fallback: (output: string) => [{ key: 'final_answer', value: output }],
      },
    );
  return { name: 'beeai LinePrefix', parse: (reply) => readWithBeeai(create(), reply, tools) };
}

async function readWithBeeai(
  parser: LinePrefixParser,
  text: string,
  tools: readonly OfferedTool[],
): Promise<Call | null> {
  await parser.add(text);
  await parser.end();
  const name = String(parser.finalState['tool_name'] ?? '').trim();
  if (name === '') return null;
  if (!tools.some((tool) => tool.name === name)) throw new Error('not offered');
  return { tool: name, args: parser.finalState['tool_input'] };
}
