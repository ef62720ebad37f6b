import { z } from 'zod';
import { compactionRequestSchema, compactionSchema } from '../src/contract/compaction.js';
import { errorCodes } from '../src/contract/error-codes.js';
import { modelListSchema } from '../src/contract/model-list.js';
import { previewSchema } from '../src/contract/preview.js';
import { healthSchema, readinessSchema, versionSchema } from '../src/contract/service-status.js';
import { sourceStepSchema } from '../src/contract/source-step.js';
import { errorResponseSchema, stepSchema } from '../src/contract/step.js';
import { stepRequestSchema } from '../src/contract/step-request.js';
import { streamEventSchema } from '../src/contract/stream.js';

/** `input` stands for the type that callers may write, `output` for the type of a parsed value. */
type Direction = 'input' | 'output';

/** Names of types that differ from their component in the OpenAPI document. */
const typeNames: Readonly<Record<string, string>> = {
  TodoItem: 'Task',
  StepWarning: 'Warning',
  ServiceVersion: 'Version',
};

/**
 * Returns `src/contract/wire-types.ts`: the types of the wire, with the descriptions of the Zod schemas as docstrings. Both
 * packages contain this file, so that an editor shows a named and documented type. Throws if a field has no description.
 */
export function wireTypes(): string {
  const writer = new TypeWriter();
  for (const schema of [stepSchema, errorResponseSchema, sourceStepSchema, previewSchema, compactionSchema])
    writer.typeOf(schema, 'output');
  for (const schema of [modelListSchema, healthSchema, readinessSchema, versionSchema])
    writer.typeOf(schema, 'output');
  for (const schema of [stepRequestSchema, compactionRequestSchema]) {
    writer.typeOf(schema, 'output');
    writer.typeOf(schema, 'input');
  }
  writer.nameUnion('StreamEvent', streamEventSchema);
  writer.nameChoice('ErrorCode', 'The values of `error.code`.', Object.keys(errorCodes));
  const reasons = stepSchema.shape.finish_reason.unwrap().options;
  writer.nameChoice('FinishReason', 'Why a model stopped, with the same values for all providers.', reasons);
  return writer.text();
}

const HEADER = `/*
 * The types of the wire. Written by \`npm run openapi\` from the Zod schemas of this folder: change those.
 */
`;

class TypeWriter {
  readonly #types = new Map<string, string>();

  text(): string {
    const names = [...this.#types.keys()].sort();
    return [HEADER, ...names.map((name) => this.#types.get(name))].join('\n');
  }

  nameChoice(name: string, description: string, values: readonly string[]): void {
    this.#types.set(name, `${docstring(description)}export type ${name} = ${choice(values)};\n`);
  }

  /** Names each member of a union of events after its type, and the union itself. */
  nameUnion(name: string, union: z.ZodType): void {
    const { options } = definition(union);
    const members = (options ?? []).map((member) => this.typeOf(member, 'output'));
    this.#types.set(
      name,
      `${docstring(described(union, name))}export type ${name} =\n${members.map((each) => `  | ${each}`).join('\n')};\n`,
    );
  }

  /** Returns the type of a schema as text. Declares each type that has a name. */
  typeOf(schema: z.ZodType, direction: Direction): string {
    const id = z.globalRegistry.get(schema)?.id;
    if (id === undefined) return this.#structure(schema, direction);
    const name = typeNames[id] ?? id;
    const output = this.#structure(schema, 'output');
    this.#declare(name, schema, output);
    if (direction === 'output') return name;
    const input = this.#structure(schema, 'input');
    if (input === output) return name;
    this.#declare(`${name}Input`, schema, input);
    return `${name}Input`;
  }

  #declare(name: string, schema: z.ZodType, structure: string): void {
    const isObject = structure.startsWith('{');
    const start = isObject ? `export interface ${name} ${structure}` : `export type ${name} = ${structure};`;
    const suffix = name.endsWith('Input')
      ? ' As callers write it: optional fields may be null or absent.'
      : '';
    this.#types.set(name, `${docstring(described(schema, name) + suffix)}${start}\n`);
  }

  #structure(schema: z.ZodType, direction: Direction): string {
    const { type, innerType, element, entries, values, shape, catchall, in: from, out } = definition(schema);
    if (type === 'string' || type === 'number' || type === 'boolean' || type === 'unknown') return type;
    if (type === 'custom') return 'Readonly<Record<string, unknown>>';
    if (type === 'enum') return choice(Object.values(entries ?? {}));
    if (type === 'literal') return choice(values ?? []);
    if (type === 'array' && element) return listOf(this.typeOf(element, direction));
    if (type === 'nullable' && innerType) return `${this.typeOf(innerType, direction)} | null`;
    if (type === 'optional' && innerType) return this.#optional(innerType, direction);
    if (type === 'object' && shape) return this.#object(shape, catchall !== undefined, direction);
    // `list` checks the length in a transformation before the array.
    if (type === 'pipe' && out && from && definition(from).type === 'transform') {
      const items = this.typeOf(out, direction);
      return direction === 'input' ? `readonly ${items}` : items;
    }
    throw new Error(`The type ${type} cannot be written.`);
  }

  /** Writes a field of `optional`, which is a transformation after the value or null, and one of Zod's own. */
  #optional(inner: z.ZodType, direction: Direction): string {
    const { type, in: from, out } = definition(inner);
    const isOurs = type === 'pipe' && from && out && definition(out).type === 'transform';
    if (!isOurs) return `${this.typeOf(inner, direction)} | undefined`;
    const { innerType } = definition(from);
    if (!innerType) throw new Error('Expected a value or null before the transformation.');
    return `${this.typeOf(innerType, direction)}${direction === 'input' ? ' | null' : ''} | undefined`;
  }

  #object(shape: Readonly<Record<string, z.ZodType>>, isOpen: boolean, direction: Direction): string {
    const fields = Object.entries(shape).map(([name, schema]) => {
      const text = described(schema, name);
      // The type of a value of any type includes undefined already.
      const type = this.typeOf(schema, direction).replace(/^unknown \| undefined$/, 'unknown');
      const mark = definition(schema).type === 'optional' ? '?' : '';
      return `${docstring(text, '  ')}  ${name}${mark}: ${type};\n`;
    });
    const open = isOpen ? ['  /** Further fields, which are kept. */\n  [field: string]: unknown;\n'] : [];
    return `{\n${[...fields, ...open].join('')}}`;
  }
}

/** The parts of Zod's definitions that the contract uses. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly string[];
  readonly options?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
}

// Zod declares a definition for each kind of schema; this reads them all by their common field `type`.
const definition = (schema: z.ZodType): Definition => schema._zod.def as unknown as Definition;

/** Returns the description of a field: its own, or that of the value in it. Throws if there is none. */
function described(schema: z.ZodType, name: string): string {
  for (let each: z.ZodType | undefined = schema; each; ) {
    const description = z.globalRegistry.get(each)?.description;
    if (description !== undefined) return description;
    const { innerType, in: from } = definition(each);
    each = innerType ?? from;
  }
  throw new Error(`The contract has no description of ${name}.`);
}

const choice = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(' | ');

const listOf = (item: string): string => (item.includes(' ') ? `(${item})[]` : `${item}[]`);

const docstring = (text: string, indent = ''): string => `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
