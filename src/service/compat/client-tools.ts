import { z } from 'zod';
import { optional } from '../../contract/fields.js';
import type { ToolDefinition } from '../../contract/tool.js';

/** A tool under the client's own name. Calls that are sent to the client have this name. */
export interface ClientTool {
  /** `custom`: a freeform tool, whose one argument is a text (`FREEFORM_PARAMETER`). */
  readonly kind: 'function' | 'custom';
  readonly name: string;
  /** The namespace that a Responses client gave the tool. */
  readonly namespace?: string | undefined;
}

/** A tool as the request defines it, before its name is adapted for the model. */
export interface OfferedByClient extends ClientTool {
  readonly description?: string | undefined;
  /** JSON Schema of the arguments; undefined for a function without parameters, and for a freeform tool. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** The parameter that holds the text of a freeform tool. */
export const FREEFORM_PARAMETER = 'input';

const noParameters = { type: 'object', properties: {} };
const freeform = {
  type: 'object',
  properties: { [FREEFORM_PARAMETER]: { type: 'string' } },
  required: [FREEFORM_PARAMETER],
};

/**
 * Characters that the contract forbids in tool names (`toolDefinitionSchema`), because a call written as text cannot
 * contain them.
 */
const unwritable = /[\s\p{Cc}<>(){}[\]"'`,]/gu;
const MAX_NAME_LENGTH = 128;

/**
 * The tools of a request. The model gets them under names that can be written in every protocol; the class translates
 * these names back to the client's own. If several tools have the same name, the first is used.
 */
export class ClientTools {
  readonly #definitions = new Map<string, ToolDefinition>();
  readonly #byName = new Map<string, ClientTool>();
  readonly #names = new Map<string, string>();

  constructor(offered: readonly OfferedByClient[] = []) {
    for (const each of offered) this.#add(each);
  }

  get definitions(): readonly ToolDefinition[] {
    return [...this.#definitions.values()];
  }

  /**
   * Returns the name by which the model calls a tool of the client, also for a tool that the client no longer offers.
   */
  nameOf(tool: Pick<ClientTool, 'name' | 'namespace'>): string {
    return this.#names.get(keyOf(tool)) ?? writable(tool);
  }

  /** Works like `nameOf`, but returns undefined if the client does not offer the tool. */
  offeredNameOf(tool: Pick<ClientTool, 'name' | 'namespace'>): string | undefined {
    const name = this.nameOf(tool);
    return this.#definitions.has(name) ? name : undefined;
  }

  /** Returns the client's tool for the name in a call of the model. */
  find(name: string): ClientTool {
    return this.#byName.get(name) ?? { kind: 'function', name };
  }

  #add({ kind, name, namespace, description, inputSchema }: OfferedByClient): void {
    const tool = { kind, name, namespace };
    if (this.#names.has(keyOf(tool))) return;
    const own = this.#unused(writable(tool));
    this.#names.set(keyOf(tool), own);
    this.#byName.set(own, tool);
    const schema = kind === 'custom' ? freeform : (inputSchema ?? noParameters);
    this.#definitions.set(own, { name: own, description, inputSchema: schema, annotations: undefined });
  }

  #unused(name: string): string {
    let unused = name;
    for (let count = 2; this.#byName.has(unused); count += 1) unused = `${name}_${count}`;
    return unused;
  }
}

const keyOf = ({ name, namespace }: Pick<ClientTool, 'name' | 'namespace'>): string =>
  JSON.stringify([namespace ?? null, name]);

function writable({ name, namespace }: Pick<ClientTool, 'name' | 'namespace'>): string {
  const whole = namespace === undefined ? name : `${namespace}__${name}`;
  return whole.replace(unwritable, '_').slice(0, MAX_NAME_LENGTH) || '_';
}

/** Returns the text argument of a call to a freeform tool. If that is not a text, returns all arguments as JSON. */
export function freeformText(parameters: Readonly<Record<string, unknown>>): string {
  const text = parameters[FREEFORM_PARAMETER];
  return typeof text === 'string' ? text : JSON.stringify(parameters);
}

/** The grammar of a freeform tool's text, in the fields that both of OpenAI's APIs have. */
export const grammarSchema = z.object({ syntax: optional(z.string()), definition: optional(z.string()) });

/** Returns the description of a freeform tool with its grammar, because no upstream enforces the grammar. */
export function withGrammar(
  description: string | undefined,
  { syntax = 'grammar', definition }: z.output<typeof grammarSchema> = {},
): string | undefined {
  if (!definition) return description;
  const grammar = `The input must match this grammar (${syntax}):\n${definition}`;
  return description ? `${description}\n\n${grammar}` : grammar;
}
