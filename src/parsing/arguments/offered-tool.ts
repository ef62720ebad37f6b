import { CharacterSet, shorten } from '../text/characters.js';
import { flatSchema } from './flat-schema.js';

/** The parts of an offered tool that are needed to read a call. */
export interface OfferedTool {
  /** Name as the model must write it, in the same upper and lower case. */
  readonly name: string;
  /** Parameter names in positional order; empty if the tool has none or they are unknown. */
  readonly parameters: readonly string[];
  /** JSON Schema of the arguments, if the tool was defined with one. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  /**
   * The reason why the tool cannot be called yet, as in "cannot be called yet: find it first". A call of such a tool is
   * read, but its outcome is `unknown_tool`, and its problem states the reason.
   */
  readonly withheld?: string;
}

/** A tool definition in MCP's shape; other fields are ignored. */
export interface DefinedTool {
  /** Name as the model must write it, in the same upper and lower case. */
  readonly name: string;
  /** JSON Schema of the argument object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/**
 * Converts a tool definition in MCP's shape. Positional arguments follow the order in which the prompt lists
 * the tool's parameters.
 */
export function toOfferedTool({ name, inputSchema }: DefinedTool): OfferedTool {
  return { name, parameters: parameterOrder(flatSchema(inputSchema)), inputSchema };
}

/**
 * Returns the names of a schema's properties: those in `required`, in its order, then the others in the order in which
 * the schema declares them (rule: tool-order).
 */
export function parameterOrder({ properties, required }: Readonly<Record<string, unknown>>): string[] {
  const rest = new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []);
  const first = Array.isArray(required) ? required.filter((name) => rest.delete(name)) : [];
  return [...first, ...rest];
}

/** Maximum number of tools that are read from one text. */
export const MAX_TOOLS = 10_000;

const MAX_NAMES_LISTED = 20;

/** Maximum length of a tool name that contains white space or quotes. */
const MAX_UNUSUAL_NAME_LENGTH = 200;

/** Indexed tools by the list's identity, so that a request's tools are indexed once. */
const indexed = new WeakMap<readonly OfferedTool[], OfferedTools>();

/** The offered tools by name; finds the longest name at a position of the text (rule: offered-tools). */
export class OfferedTools {
  static readonly #none = new OfferedTools([]);
  readonly #byName = new Map<string, OfferedTool>();
  /** Names of several words, such as "look up": their lengths, longest first, by their first word. Usually empty. */
  readonly #unusual = new Map<string, number[]>();
  /** Names of the parameters of each tool. */
  readonly #declared = new Map<string, ReadonlySet<string>>();

  constructor(tools: readonly OfferedTool[]) {
    for (const tool of tools) this.#byName.set(tool.name, tool);
    const lengths = new Map<string, Set<number>>();
    for (const name of this.#byName.keys()) {
      const first = name.slice(0, wordEnd(name, 0));
      if (name === '' || first.length === name.length || name.length > MAX_UNUSUAL_NAME_LENGTH) continue;
      lengths.set(first, (lengths.get(first) ?? new Set()).add(name.length));
    }
    for (const [first, each] of lengths)
      this.#unusual.set(
        first,
        [...each].sort((a, b) => b - a),
      );
  }

  /** Returns the indexed tools of a list. The list must not change afterwards. */
  static of(tools: readonly OfferedTool[]): OfferedTools {
    if (tools.length === 0) return OfferedTools.#none;
    const before = indexed.get(tools);
    if (before) return before;
    const offered = new OfferedTools(tools);
    indexed.set(tools, offered);
    return offered;
  }

  /** True if the request has no readable tool, so that any well-formed call is accepted. */
  get areUnknown(): boolean {
    return this.#byName.size === 0;
  }

  find(name: string): OfferedTool | undefined {
    return this.#byName.get(name);
  }

  /** Whether the tool is offered and declares a parameter of this name. */
  declares(name: string, parameter: string): boolean {
    const tool = this.find(name);
    if (!tool) return false;
    const declared = this.#declared.get(name) ?? new Set(tool.parameters);
    this.#declared.set(name, declared);
    return declared.has(parameter);
  }

  /** Returns the tool if it can be called now. */
  findCallable(name: string): OfferedTool | undefined {
    const tool = this.#byName.get(name);
    return tool?.withheld === undefined ? tool : undefined;
  }

  /** Whether the arriving text ends within an offered name that begins at `position`. */
  mayGoOnToName(text: string, position: number): boolean {
    const length = text.length - position;
    if (length < 1 || length > MAX_UNUSUAL_NAME_LENGTH) return false;
    const written = text.slice(position);
    for (const name of this.#byName.keys()) if (name.length > length && name.startsWith(written)) return true;
    return false;
  }

  /** Returns the end of the tool name at `position`; the longest offered name wins. */
  nameEnd(text: string, position: number): number {
    const word = wordEnd(text, position);
    const isFollowedByColon =
      text.charAt(word - 1) === ':' && this.#byName.has(text.slice(position, word - 1));
    const end = isFollowedByColon && !this.#byName.has(text.slice(position, word)) ? word - 1 : word;
    if (this.#unusual.size === 0) return end;
    const length = this.#unusual
      .get(text.slice(position, end))
      ?.find(
        (each) => this.#byName.has(text.slice(position, position + each)) && endsName(text, position + each),
      );
    return length === undefined ? end : position + length;
  }

  /** Returns a problem message such as "tool `serch` is not offered; offered: search, read_file". */
  describeUnknown(name: string): string {
    const withheld = this.#byName.get(name)?.withheld;
    if (withheld !== undefined) return `tool \`${name}\` ${withheld}`;
    const names = [...this.#byName.keys()].filter((each) => this.findCallable(each));
    const more = names.length > MAX_NAMES_LISTED ? ` and ${names.length - MAX_NAMES_LISTED} more` : '';
    return `tool \`${shorten(name)}\` is not offered; offered: ${names.slice(0, MAX_NAMES_LISTED).join(', ')}${more}`;
  }
}

const nameStops = new CharacterSet(' \t\r\n()（[]{}<>"\'`,;=|*“”‘’');

/** Maximum length of a tool name. */
export const MAX_NAME_LENGTH = 1_000;

function wordEnd(text: string, position: number): number {
  return nameStops.nextIn(text, position, position + MAX_NAME_LENGTH);
}

function endsName(text: string, position: number): boolean {
  return nameStops.nextIn(text, position, position + 1) === position;
}
