import type { ToolDefinition } from '../../contract/tool.js';
import { isObject } from '../../conversation/is-object.js';

/** Maximum number of tools that one search finds. */
export const MAX_FOUND = 5;
/** Results whose score is below this fraction of the best score are omitted, because each definition costs tokens. */
const MIN_SCORE_SHARE = 0.25;

/** Maximum number of characters of a query; the rest is ignored. */
const MAX_QUERY_CHARS = 500;
const MAX_WORD_CHARS = 40;

/** Weight of a word by the part of the tool definition in which it occurs. */
const boosts = { name: 3, description: 2, parameter: 1, parameterText: 0.5 } as const;
/** Factors for weaker matches: a word that only begins with the searched word, and a synonym of it. */
const PREFIX_SHARE = 0.6;
const SYNONYM_SHARE = 0.6;
const MIN_PREFIX_LENGTH = 3;
/** Constants of BM25: how fast repeated words lose weight, and how much a long definition lowers the score. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.4;

/**
 * Returns at most `MAX_FOUND` tools whose names, descriptions or parameters fit a query, the best first (rule:
 * find-tools). If the query consists of names of tools, returns these tools. The score is BM25, implemented here
 * because the SDK imports no other package.
 */
export function searchTools<Definition extends ToolDefinition>(
  tools: readonly Definition[],
  wholeQuery: string,
): readonly Definition[] {
  const query = wholeQuery.slice(0, MAX_QUERY_CHARS);
  const named = findByName(tools, query);
  if (named.length > 0) return named.slice(0, MAX_FOUND);
  const ranked = rank(tools.map(indexTool), query)
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.position - b.position);
  const lowest = (ranked[0]?.score ?? 0) * MIN_SCORE_SHARE;
  return ranked
    .filter(({ score }) => score >= lowest)
    .slice(0, MAX_FOUND)
    .flatMap(({ position }) => tools[position] ?? []);
}

/** Returns the tools whose names the query lists; an empty list if the query has other words, too. */
function findByName<Definition extends ToolDefinition>(
  tools: readonly Definition[],
  query: string,
): readonly Definition[] {
  const byName = new Map(tools.map((tool) => [tool.name.toLowerCase(), tool]));
  const words = query.toLowerCase().match(/[^\s,;"'`()]+/gu) ?? [];
  const named = words.map((word) => byName.get(word));
  return named.every((tool) => tool !== undefined) ? [...new Set(named)] : [];
}

/** The words of a tool. The weight of a word is the sum over the parts of the definition that contain it. */
interface IndexedTool {
  readonly words: ReadonlyMap<string, number>;
  readonly length: number;
}

function indexTool({ name, description, inputSchema }: ToolDefinition): IndexedTool {
  const words = new Map<string, number>();
  const add = (text: string, boost: number): void => {
    for (const word of wordsIn(text)) words.set(word, (words.get(word) ?? 0) + boost);
  };
  add(name, boosts.name);
  add(description ?? '', boosts.description);
  for (const [parameter, schema] of parametersOf(inputSchema)) {
    add(parameter, boosts.parameter);
    add(textOf(schema), boosts.parameterText);
  }
  return { words, length: [...words.values()].reduce((sum, weight) => sum + weight, 0) };
}

function parametersOf({ properties }: Readonly<Record<string, unknown>>): readonly [string, unknown][] {
  return isObject(properties) ? Object.entries(properties) : [];
}

/** Returns the description of a parameter and its allowed values. */
function textOf(schema: unknown): string {
  if (!isObject(schema)) return '';
  const { description, enum: values } = schema;
  const texts = [description, ...(Array.isArray(values) ? values : [])];
  return texts.filter((text) => typeof text === 'string').join(' ');
}

interface Ranked {
  /** Index of the tool in the list. */
  readonly position: number;
  readonly score: number;
}

/**
 * Scores tools by BM25. Each word of the query gets the weight of its best match: the word itself, a word that begins
 * with it, or a synonym.
 */
function rank(tools: readonly IndexedTool[], query: string): Ranked[] {
  const averageLength = tools.reduce((sum, { length }) => sum + length, 0) / tools.length;
  const scores = tools.map(() => 0);
  for (const word of new Set(wordsIn(query))) {
    const weights = tools.map((tool) => weightOf(word, tool));
    const matching = weights.filter((weight) => weight > 0).length;
    const rarity = Math.log(1 + (tools.length - matching + 0.5) / (matching + 0.5));
    for (const [position, weight] of weights.entries()) {
      const size = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * ((tools[position]?.length ?? 0) / averageLength);
      scores[position] = (scores[position] ?? 0) + (rarity * weight) / (weight + SATURATION * size);
    }
  }
  return scores.map((score, position) => ({ position, score }));
}

function weightOf(word: string, { words }: IndexedTool): number {
  let best = words.get(word) ?? 0;
  for (const synonym of synonyms.get(word) ?? [])
    best = Math.max(best, SYNONYM_SHARE * (words.get(synonym) ?? 0));
  if (best > 0 || word.length < MIN_PREFIX_LENGTH) return best;
  for (const [other, weight] of words)
    if (other.startsWith(word)) best = Math.max(best, PREFIX_SHARE * weight);
  return best;
}

/** Splits a text into stems: at everything but letters and digits, and inside camelCase. Leaves out stop words. */
function wordsIn(text: string): string[] {
  const words = text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu);
  return (words ?? []).filter((word) => word.length <= MAX_WORD_CHARS && !stopWords.has(word)).map(stemOf);
}

const stopWords: ReadonlySet<string> = new Set(
  'a an and are as at be by can do does for from has have how i if in into is it its me my of on or that the their them this to up use was what when which who will with you your tool tools'.split(
    ' ',
  ),
);

const endings: readonly (readonly [RegExp, string])[] = [
  [/(?<=..)ies$/u, 'y'],
  [/(?<=ss|sh|ch|x|z)es$/u, ''],
  [/(?<=[^sui])s$/u, ''],
  [/(?<=...)(?:ing|ed)$/u, ''],
  [/(?<=.{4})ion$/u, ''],
];

/** Removes the commonest English endings, so that "creates", "created" and "creation" are one word. */
function stemOf(word: string): string {
  if (word.length < 4) return word;
  const bare = endings.reduce((stem, [ending, by]) => stem.replace(ending, by), word);
  return bare.replace(/([^aeioulsz])\1$/u, '$1').replace(/(?<=...)[ey]$/u, '');
}

/** Groups of synonyms: words that tool names use for the same thing. */
const groups = [
  'create add new make insert open',
  'delete remove erase',
  'get read fetch retrieve show view describe',
  'search find query look',
  'update edit modify change set replace',
  'send post write',
  'run execute start invoke call launch',
  'stop cancel end kill',
  'move rename',
  'directory folder dir',
  'email mail message',
  'repository repo',
  'picture image photo screenshot',
  'issue ticket bug',
  'user person people member',
  'event meeting appointment',
  'document doc page',
  'database db sql table',
] as const;

const synonyms: ReadonlyMap<string, readonly string[]> = synonymsFrom(groups);

function synonymsFrom(lines: readonly string[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of lines) {
    const words = line.split(' ').map(stemOf);
    for (const word of words)
      found.set(word, [...(found.get(word) ?? []), ...words.filter((each) => each !== word)]);
  }
  return found;
}
