import type { OfferedTools } from '../arguments/offered-tool.js';
import { skipSpace } from '../text/characters.js';

/**
 * Matches the beginning of a JSON call, up to and including the tool's name. A wrapper, a type or an id may precede the
 * name.
 */
const nameKey =
  /\{\s{0,20}(?:"thought"\s{0,8}:\s{0,8}"(?:[^"\\]|\\.){0,4000}"\s{0,8},\s{0,20})?(?:"(?:tool_calls?|function_call|function|action)"\s{0,8}:\s{0,8}\[?\s{0,20}\{\s{0,20})?(?:"(?:type|id|tool_call_id)"\s{0,8}:\s{0,8}"[^"\n]{0,60}"\s{0,8},\s{0,20}){0,2}(?:"function"\s{0,8}:\s{0,8}\{\s{0,20})?"(?:name|tool_name|function|tool|action)"\s{0,8}:\s{0,8}"([^"\n]{1,200})"/y;

/** Matches the beginning of an object whose first key is the tool's name (Apertus). */
const toolKey = /\{\s{0,20}"([^"\n]{1,200})"\s{0,8}:\s{0,8}\{/y;

/**
 * Returns the offered tool that is named at the beginning of unreadable JSON. With `isMarked` (after an opening tag),
 * the name may also be the first key of the object.
 */
export function hintedName(
  text: string,
  at: number,
  tools: OfferedTools,
  { isMarked = false } = {},
): string | null {
  const start = text.charAt(at) === '[' ? skipSpace(text, at + 1) : at;
  const names = (isMarked ? [nameKey, toolKey] : [nameKey]).map((pattern) => {
    pattern.lastIndex = start;
    return pattern.exec(text)?.[1] ?? '';
  });
  return names.find((name) => tools.find(name)) ?? null;
}

/**
 * Returns the name of the offered tool that the model intended: the name as written, or without the prefix
 * `functions.`, a suffix such as `:0`, or both. If no such tool is offered, returns the name without both.
 */
export function offeredName(written: string, tools: OfferedTools): string {
  const plain = written.trim().replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  const short = plain.replace(/^functions\./, '').replace(/:\d{0,9}$/, '');
  const names = [plain, short, plain.replace(/^functions\./, ''), plain.replace(/:\d{0,9}$/, '')];
  return names.find((name) => tools.find(name)) ?? short;
}

/** Matches a word that may name a tool, if the text after it may begin or follow its arguments. */
const nameInCall =
  /(?<![\w.-])[A-Za-z_][\w.-]{0,199}(?=["']?\s{0,8}[("'{<,\n]|(?<=<[\w.-]{1,200})>|["']?\s{0,8}$|\s{1,4}\w{1,40}\s{0,4}=)/g;
/** Maximum length of a text that is searched for the name of a call. */
const MAX_SEARCHED = 4_000;

/** Returns the first offered tool that a text between the marks of a call names, in whatever form the call is. */
export function namedCall(text: string, tools: OfferedTools): string | null {
  for (const [word] of text.slice(0, MAX_SEARCHED).matchAll(nameInCall)) {
    const name = word.replace(/^(?:functions|default_api)\./, '');
    if (tools.find(name)) return name;
  }
  return null;
}
