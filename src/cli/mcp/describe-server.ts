import type { McpServer } from '../../mcp/mcp-server.js';
import type { McpTool } from '../../mcp/mcp-tool.js';
import type { McpServerState } from '../../mcp/running-server.js';
import { breakLine, countBlanks } from '../screen/render-proposal.js';
import { showExact, showExactLine } from '../screen/visible-text.js';
import { type ConfiguredServer, reference } from './configured-servers.js';

/** Renders the complete program or address of a server, to which a person consents. */
export function describeLaunch(
  { declaration, programs }: ConfiguredServer,
  folder: string,
): readonly string[] {
  if (!('command' in declaration))
    return [field('address', quoteUnusual(declaration.url)), ...headersOf(declaration)].flat();
  const { command, args = [], env = {}, cwd = folder } = declaration;
  return [
    field('program', quoteUnusual(command)),
    ...args.map((arg, index) => field(index === 0 ? 'arguments' : '', quoteUnusual(arg))),
    ...Object.entries(env).map(([name, value], index) =>
      field(index === 0 ? 'environment' : '', `${quoteUnusual(name)} = ${quoteUnusual(value)}`),
    ),
    field('folder', quoteUnusual(cwd)),
    ...programs.map((path, index) => field(index === 0 ? 'checked' : '', quoteUnusual(path))),
    ...(programs.length > 0 ? OTHERS_UNCHECKED : ALL_UNCHECKED),
  ];
}

// One sentence a row, since rows longer than the window are broken within words.
const OTHERS_UNCHECKED = [
  'If one of these files changes, you are asked again.',
  'Other files that they load may change without a question.',
];
const ALL_UNCHECKED = ['You are not asked again if project files that the program loads change.'];

const FIELD_COLUMNS = 13;
const field = (name: string, value: string): string => name.padEnd(FIELD_COLUMNS) + value;

/** Quotes a text with unusual characters, so that its ends are visible, and shows control characters by number. */
const quoteUnusual = (text: string): string =>
  showExactLine(/^[\w./:@=+,${}~%-]+$/.test(text) ? text : JSON.stringify(text));

/** Renders headers without their values, which may be tokens. Only references to variables are shown. */
const headersOf = ({ headers = {} }: Extract<McpServer, { url: string }>): readonly string[] =>
  Object.entries(headers).map(([name, value], index) => {
    const variables = [...value.matchAll(reference)].map(([all]) => all).join(' ');
    return field(
      index === 0 ? 'headers' : '',
      quoteUnusual(name) + (variables && ` with ${showExactLine(variables)}`),
    );
  });

/** Renders tools with everything that the model will read about them. */
export const describeTools = (tools: readonly McpTool[]): readonly string[] =>
  tools.flatMap(({ name, description, inputSchema, isDestructive }) => [
    showExactLine(`${name}(${argumentsOf(inputSchema).join(', ')})${isDestructive ? ', may destroy' : ''}`),
    ...showExact(description)
      .trim()
      .split('\n')
      .map((line) => `  ${line}`),
    ...textsBesideNames(argumentsOf(inputSchema), inputSchema).map((texts) => `    ${showExactLine(texts)}`),
  ]);

const argumentsOf = ({ properties }: McpTool['inputSchema']): readonly string[] =>
  isParent(properties) ? Object.keys(properties) : [];

/**
 * Returns all texts of a schema except the argument names. Even a default or a nested name may contain a command to
 * the model, so the person must see it.
 */
const textsBesideNames = (names: readonly string[], schema: McpTool['inputSchema']): readonly string[] =>
  textsIn(schema, '').filter((texts) => texts !== '' && !names.includes(texts));

/** Returns every text of a schema with its path, except plain type information. */
function textsIn(value: unknown, path: string): readonly string[] {
  if (!isParent(value) || isListOfValues(value)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [path === '' ? text : `${path}: ${text}`];
  }
  const texts = Object.entries(value).flatMap(([key, each]) =>
    isTypeInformation(key, each, value)
      ? []
      : textsIn(each, isImpliedKey(key, each) ? path : [path, key].filter(Boolean).join('.')),
  );
  return texts.length > 0 ? texts : [path];
}

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isListOfValues = (value: object): boolean => Array.isArray(value) && !value.some(isParent);

const typeNames: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

function isTypeInformation(key: string, value: unknown, schema: object): boolean {
  if (key === 'type') return [value].flat().every((each) => typeNames.includes(each));
  if (key === 'additionalProperties') return typeof value === 'boolean';
  const names = argumentsOf({ ...schema });
  return key === 'required' && Array.isArray(value) && value.every((each) => names.includes(each));
}

/** Schema keywords that are left out of the path of a text. */
const parents = new Set(['properties', 'items', 'anyOf', 'oneOf', 'allOf']);
const isImpliedKey = (key: string, value: unknown): boolean =>
  isParent(value) ? parents.has(key) || /^\d+$/.test(key) : key === 'description' || key === 'title';

/** Draws a frame around lines. Long lines are broken, so that no line can imitate the end of the frame. */
export function frame(title: string, lines: readonly string[], width: number): readonly string[] {
  const rows = lines.flatMap((line) => breakLine(line, Math.max(10, width - 4)));
  return [`╭─ ${title}`, ...rows.map((row) => `│ ${row}`), '╰─'];
}

/**
 * Draws a frame of at most `maxRows` rows. Of more rows, it keeps the first and the last ones. Long runs of blanks are
 * replaced by their number.
 */
export function shortFrame(
  title: string,
  lines: readonly string[],
  { width, maxRows }: { readonly width: number; readonly maxRows: number },
): readonly string[] {
  const [top = '', ...rows] = frame(title, lines.map(countBlanks), width);
  const bottom = rows.pop() ?? '';
  return maxRows < 5 ? keepEnds(rows, maxRows) : [top, ...keepEnds(rows, maxRows - 2), bottom];
}

function keepEnds(rows: readonly string[], max: number): readonly string[] {
  if (rows.length <= max) return rows;
  const kept = Math.max(2, max - 1);
  const tail = Math.floor(kept / 2);
  return [...rows.slice(0, kept - tail), `│ … ${rows.length - kept} more lines …`, ...rows.slice(-tail)];
}

/** Returns one line for each server and each of its tools, for `/mcp`. */
export function describeState({ name, isReady, reason, tools, leftOut }: McpServerState): readonly string[] {
  if (!isReady) return [showExactLine(`${name}  ${reason ?? 'is closed'}`)];
  const [asked, trusted, refused] = (['ask', 'trust', 'leave-out'] as const).map(
    (verdict) => tools.filter((each) => each.verdict === verdict).length,
  );
  const counts = [`${asked} asked about`, `${trusted} trusted`, `${refused} refused`].filter(
    (each) => !/^0 /.test(each),
  );
  return [
    showExactLine(`${name}  ready, ${tools.length} tools: ${counts.join(', ')}`),
    ...tools.map(({ tool, verdict }) =>
      showExactLine(`  ${tool.name}${verdict === 'leave-out' ? ' (refused)' : ''}`),
    ),
    ...leftOut.map((each) => showExactLine(`  ${each.name} is left out: ${each.reason}`)),
  ];
}
