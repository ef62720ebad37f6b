/** A tool the request offers, as far as reading a call needs it (SPEC §2). */
export interface OfferedTool {
  readonly name: string;
  /** Parameter names in positional order; empty when the tool takes none or none are known. */
  readonly parameters: readonly string[];
  /** JSON Schema of the arguments, when the tool was defined with one. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

/** From a tool definition in MCP's shape: positional order is the order of `inputSchema.properties`. */
export function toOfferedTool(tool: {
  readonly name: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}): OfferedTool {
  const { properties } = tool.inputSchema;
  const parameters = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return { name: tool.name, parameters, inputSchema: tool.inputSchema };
}

const namesShown = 20;

/** The offered tools by name, and the longest name that stands at a place of the text (SPEC §7.4). */
export class OfferedTools {
  readonly #byName: ReadonlyMap<string, OfferedTool>;
  /** Names a plain word cannot hold ("look up"), longest first; usually none. */
  readonly #unusual: readonly string[];

  constructor(tools: readonly OfferedTool[]) {
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#unusual = [...this.#byName.keys()]
      .filter((name) => name !== '' && wordEnd(name, 0) !== name.length)
      .sort((a, b) => b.length - a.length);
  }

  /** No tool could be read from the request: any well-formed call is taken. */
  get areUnknown(): boolean {
    return this.#byName.size === 0;
  }

  find(name: string): OfferedTool | undefined {
    return this.#byName.get(name);
  }

  /** Where the tool name that starts at `position` ends; offered names win, the longest first. */
  nameEnd(text: string, position: number): number {
    const unusual = this.#unusual.find(
      (name) => text.startsWith(name, position) && endsName(text, position + name.length),
    );
    return unusual === undefined ? wordEnd(text, position) : position + unusual.length;
  }

  /** "tool `serch` is not offered; offered: search, read_file": words the model can use. */
  describeUnknown(name: string): string {
    const names = [...this.#byName.keys()];
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
    return `tool \`${shorten(name)}\` is not offered; offered: ${names.slice(0, namesShown).join(', ')}${more}`;
  }
}

/** Cuts what a problem quotes, so that a message stays a message. */
export function shorten(text: string, length = 60): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

const nameStops = new Set(' \t\r\n()[]{}<>"\'`,;=|*“”‘’');

function wordEnd(text: string, position: number): number {
  let end = position;
  while (end < text.length && !nameStops.has(text.charAt(end))) end += 1;
  return end;
}

function endsName(text: string, position: number): boolean {
  return position >= text.length || nameStops.has(text.charAt(position));
}
