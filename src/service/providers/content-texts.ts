import { isObject } from '../../contract/fields.js';
import { type Fields, writeJson } from './vendor-json.js';

/** The texts of a message's content, by kind. */
export interface ContentTexts {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
}

/**
 * Returns the texts of a content in any shape: a text, a part, or a list of texts and parts. An object that is not
 * a part is a JSON reply that the server has already parsed, so it is written as JSON.
 */
export function textsIn(content: unknown): ContentTexts {
  if (typeof content === 'number' || typeof content === 'boolean')
    return { ...nothing, text: String(content) };
  if (isObject(content) && !isPart(content)) return { ...nothing, text: writeJson(content) };
  return read(content, 0);
}

/** Returns the text of a field that has only one kind of text. The field may have any shape that a content may have. */
export function textIn(value: unknown): string {
  const { text, reasoning } = read(value, 0);
  return text + reasoning;
}

const nothing: ContentTexts = { text: '', reasoning: '', refusal: '' };

/** Maximum nesting of parts. Mistral sends reasoning as a list of texts inside a part. */
const MAX_DEPTH = 6;

const isPart = ({ type, text }: Fields): boolean => typeof type === 'string' || typeof text === 'string';

function read(content: unknown, depth: number): ContentTexts {
  if (typeof content === 'string') return { ...nothing, text: content };
  if (depth > MAX_DEPTH) return nothing;
  if (Array.isArray(content)) return joined(content.map((each) => read(each, depth + 1)));
  return isObject(content) ? readPart(content, depth + 1) : nothing;
}

function joined(all: readonly ContentTexts[]): ContentTexts {
  const of = (kind: keyof ContentTexts) => all.map((each) => each[kind]).join('');
  return { text: of('text'), reasoning: of('reasoning'), refusal: of('refusal') };
}

/**
 * Reads a part. The text of a reasoning part is in the field `thinking` (Mistral), `summary` (Databricks) or one with
 * a usual name.
 */
function readPart(
  { type, text, content, value, thinking, reasoning, summary, refusal }: Fields,
  depth: number,
): ContentTexts {
  if (type === 'refusal') return { ...nothing, refusal: read(refusal ?? text, depth).text };
  const thought = thinking ?? reasoning ?? summary;
  const isReasoning = typeof type === 'string' && /^(?:thinking|reasoning)/.test(type);
  if (!isReasoning && thought == null) return read(text ?? content ?? value, depth);
  const inner = read(thought ?? text ?? content, depth);
  return { ...nothing, reasoning: inner.text + inner.reasoning };
}
