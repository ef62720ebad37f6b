import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { AS_RECORDED, type Cell } from './cell.js';
import type { Comparisons } from './compare-readings.js';
import type { Parser } from './parser.js';

/** Price of a model per million tokens, in any currency. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/** The plan of an evaluation: the variants to try, the rules for comparing their steps, and prices. */
export interface EvalPlan {
  readonly cells: readonly Cell[];
  /** Names of the runs that have comparison rules of their own. */
  readonly namedRuns: readonly string[];
  /** Returns the comparison rules for one run. */
  readonly comparisonsFor: (run: string) => Comparisons;
  /** Fraction of a cell's steps that may differ. */
  readonly tolerance: number;
  /** Prices by model name. */
  readonly prices: Readonly<Record<string, Price>>;
}

/** Error for an invalid matrix file. The message says where the file is invalid. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

const RECORDED = 'recorded';
const recorded = z.literal(RECORDED);
const text = z.string().min(1);
const json = z.record(z.string(), z.unknown());
const same = z.enum(['same', 'ignore']);

const SHARE = 'expected a share such as 10% or 0.1';

/** A fraction, written as `10%` or 0.1. A number above 1, such as 10, is refused: it probably means a percentage. */
const share = z.union(
  [
    z.number().min(0).max(1, SHARE),
    z
      .string()
      .regex(/^\d+(?:\.\d+)?%$/)
      .transform((written) => Number.parseFloat(written) / 100),
  ],
  { error: SHARE },
);

const comparisonsSchema = z.strictObject({
  outcome: same.optional(),
  tool: same.optional(),
  arguments: same.optional(),
  answer: z
    .union(
      [
        z.enum(['ignore', 'exact', 'contains', 'schema']),
        z.strictObject({ contains: z.union([text.transform((each) => [each]), z.array(text).min(1)]) }),
        z.strictObject({ schema: json }),
      ],
      { error: 'expected ignore, exact, contains, schema, { contains: [texts] } or { schema: … }' },
    )
    .optional(),
  tokens: z.union([z.literal('ignore'), share], { error: `${SHARE}, or ignore` }).optional(),
  leftOut: same.optional(),
});

const modelSchema = z.union([text, z.strictObject({ name: text, upstream: text })], {
  error: 'expected a model name or { name, upstream }',
});

const instructionsSchema = z.union(
  [
    recorded,
    z.strictObject({ name: text, text: z.string() }),
    z.strictObject({ name: text.optional(), file: text }),
  ],
  { error: 'expected recorded, { name, text } or { file }' },
);

const tokenLimitSchema = z.union([recorded, z.int().min(2)], {
  error: 'expected recorded or a whole number from 2',
});

const planSchema = z.strictObject({
  matrix: z
    .strictObject({
      model: z.array(modelSchema).min(1),
      protocol: z.array(z.enum(['text', 'xml', 'json', 'native', 'auto', RECORDED])).min(1),
      instructions: z.array(instructionsSchema).min(1),
      tokenLimit: z.array(tokenLimitSchema).min(1),
      parser: z.array(text).min(1),
    })
    .partial()
    .optional(),
  compare: comparisonsSchema.optional(),
  runs: z.record(z.string(), comparisonsSchema).optional(),
  tolerance: share.optional(),
  prices: z
    .record(z.string(), z.strictObject({ input: z.number().min(0), output: z.number().min(0) }))
    .optional(),
});

type PlanFile = z.output<typeof planSchema>;
type Matrix = NonNullable<PlanFile['matrix']>;

/** Command-line options. An option such as `model` replaces all values that the file gives for that setting. */
export interface PlanOptions {
  /** Path of the YAML file. */
  readonly file: string | undefined;
  readonly model: string | undefined;
  readonly upstream: string | undefined;
  readonly protocol: NonNullable<Cell['protocol']> | undefined;
  readonly tokenLimit: number | undefined;
  /** Path of a module with the exports of `stepwise/parsing`. */
  readonly parser: string | undefined;
  readonly parserOnly: boolean;
  /** Loads a parser from the module at an absolute path. */
  readonly loadParser: (path: string) => Promise<Parser>;
}

/** Reads the plan of an evaluation (rule: eval-matrix). Rejects with `PlanError`. */
export async function readPlan(options: PlanOptions): Promise<EvalPlan> {
  const file = options.file === undefined ? {} : await readPlanFile(options.file);
  const folder = options.file === undefined ? '.' : dirname(options.file);
  const cells = await toCells(withOptions(file.matrix ?? {}, options), { ...options, folder });
  const { compare = {}, runs = {}, tolerance = 0, prices = {} } = file;
  const usual = options.parserOnly ? parserComparisons : modelComparisons;
  return {
    cells,
    namedRuns: Object.keys(runs),
    comparisonsFor: (run) => ({
      ...usual,
      ...given(compare),
      ...(Object.hasOwn(runs, run) && given(runs[run] ?? {})),
    }),
    tolerance,
    prices,
  };
}

/** A model words its answer differently each time, so answers are compared only if the plan says how. */
const modelComparisons: Comparisons = {
  outcome: 'same',
  tool: 'same',
  arguments: 'same',
  answer: 'ignore',
  tokens: 'ignore',
  leftOut: 'ignore',
};

const parserComparisons: Comparisons = { ...modelComparisons, answer: 'exact' };

/** Removes undefined fields. Otherwise, spreading the result over the defaults would overwrite them with undefined. */
function given(comparisons: z.output<typeof comparisonsSchema>): Partial<Comparisons> {
  return Object.fromEntries(Object.entries(comparisons).filter(([, value]) => value !== undefined));
}

async function readPlanFile(path: string): Promise<PlanFile> {
  const content = await readFile(path, 'utf8').catch(() => {
    throw new PlanError(`Cannot read the file ${path} of --matrix.`);
  });
  const read = planSchema.safeParse(parseYaml(content, path) ?? {});
  if (read.success) return read.data;
  throw new PlanError(`${path} is not a valid evaluation matrix:\n${z.prettifyError(read.error)}`);
}

function parseYaml(content: string, path: string): unknown {
  try {
    return parse(content);
  } catch (error) {
    throw new PlanError(`${path} is not YAML: ${error instanceof Error ? error.message : error}`);
  }
}

/** Applies the command-line options. Each replaces all values that the matrix file gives for the same setting. */
function withOptions(matrix: Matrix, options: PlanOptions): Matrix {
  const { model: name, upstream, protocol, tokenLimit, parser } = options;
  return {
    ...matrix,
    ...(name !== undefined && { model: [upstream === undefined ? name : { name, upstream }] }),
    ...(protocol && { protocol: [protocol] }),
    ...(tokenLimit !== undefined && { tokenLimit: [tokenLimit] }),
    ...(parser !== undefined && { parser: [resolve(parser)] }),
  };
}

type CellOptions = Pick<PlanOptions, 'parserOnly' | 'loadParser'> & { readonly folder: string };

/** One value of a setting in the matrix: the fields that it sets in a cell, and its part of the cell's name. */
type Value = Omit<Cell, 'name'> & { readonly label: string };

/**
 * Returns every combination of the values. With `parserOnly`, combines only the parsers, because no model is called.
 */
async function toCells(matrix: Matrix, options: CellOptions): Promise<readonly Cell[]> {
  const parsers = await parserValues(matrix.parser ?? [], options);
  const axes = options.parserOnly
    ? [parsers]
    : [...modelAxes(matrix), await instructionValues(matrix.instructions ?? [], options), parsers];
  const combinations = axes
    .filter(({ length }) => length > 0)
    .reduce<readonly Value[]>(
      (cells, axis) => cells.flatMap((cell) => axis.map((value) => joined(cell, value))),
      [{ label: '' }],
    );
  const cells = combinations.map(({ label, ...cell }) => ({ ...cell, name: label || AS_RECORDED }));
  refuseRepeatedNames(cells);
  return cells;
}

/** Throws if two cells have the same name, because a baseline stores what it accepts by the names of cells. */
function refuseRepeatedNames(cells: readonly Cell[]): void {
  const names = cells.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw new PlanError(
    `The values of the matrix repeat the cell "${repeated}". Remove one of the values, or rename it: \`name\` of ` +
      'instructions, or the file name of a parser.',
  );
}

const joined = (cell: Value, value: Value): Value => ({
  ...cell,
  ...value,
  label: [cell.label, value.label].filter(Boolean).join(' · '),
});

function modelAxes({ model = [], protocol = [], tokenLimit = [] }: Matrix): readonly (readonly Value[])[] {
  return [
    model.map((each) => {
      if (each === RECORDED) return { label: '' };
      if (typeof each === 'string') return { label: each, model: { name: each } };
      return { label: `${each.upstream}/${each.name}`, model: each };
    }),
    protocol.map((each) => (each === RECORDED ? { label: '' } : { label: each, protocol: each })),
    tokenLimit.map((each) =>
      each === RECORDED ? { label: '' } : { label: `${each} tokens`, tokenLimit: each },
    ),
  ];
}

async function instructionValues(
  values: NonNullable<Matrix['instructions']>,
  { folder }: CellOptions,
): Promise<readonly Value[]> {
  return Promise.all(
    values.map(async (each) => {
      if (each === RECORDED) return { label: '' };
      if ('text' in each) return { label: each.name, instructions: each.text };
      const content = await readFile(resolve(folder, each.file), 'utf8').catch(() => {
        throw new PlanError(`Cannot read the instructions ${each.file}.`);
      });
      return { label: each.name ?? each.file, instructions: content };
    }),
  );
}

async function parserValues(
  paths: readonly string[],
  { folder, loadParser }: CellOptions,
): Promise<readonly Value[]> {
  return Promise.all(
    paths.map(async (path) =>
      path === RECORDED
        ? { label: '' }
        : { label: path.split(/[\\/]/).at(-1) ?? path, parser: await loadParser(resolve(folder, path)) },
    ),
  );
}
