import { isKeyCharacter, lineEnd, skipBlanks, skipSpace } from '../text/characters.js';
import { excerpt, isBareWord } from '../text/literals.js';
import type { Scanner } from '../text/scanner.js';
import { closingQuote, resolveEscapes, type StringStart, stringStart } from '../text/strings.js';
import { endsReply } from '../text/trailing.js';
import type { ArgumentKeys } from './argument-keys.js';
import { closesAgain } from './call-end.js';

/** Maximum length of a string whose end is guessed. Keeps the work small if one long line has many such strings. */
const MAX_REPAIRED_LENGTH = 2 ** 17;

/**
 * Reads a string with unescaped inner quotes: it closes at the quote followed by `)` at the end of the line,
 * or by `, key=` (rule: repairs). The string must be on one line; ambiguous ends are refused.
 */
export function readQuotedLoosely(scanner: Scanner, keys: ArgumentKeys): string | undefined {
  const { text } = scanner;
  const opening = stringStart(scanner);
  if (opening?.prefix !== '') return scanner.fail('a string cannot be read');
  if (opening.close.length === 3) return readTripleLoosely(scanner, keys, opening);
  const inside = scanner.position + 1;
  const end = looseEnd(scanner, keys, inside);
  if (end === undefined) return undefined;
  const smart = '“‘'.includes(text.charAt(inside - 1));
  scanner.repairs.add(smart ? 'smart_quotes' : 'inner_quotes');
  scanner.position = end + 1;
  return resolveEscapes(scanner, text.slice(inside, end), '"');
}

/** Returns the position of the closing quote. */
function looseEnd(scanner: Scanner, keys: ArgumentKeys, inside: number): number | undefined {
  const { text } = scanner;
  const quotes = '"“”'.includes(text.charAt(inside - 1)) ? '"“”' : "'‘’`";
  const limit = Math.min(text.length, inside + MAX_REPAIRED_LENGTH);
  let isFirst = true;
  for (let at = inside; at < limit && text.charAt(at) !== '\n'; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (quotes.includes(text.charAt(at))) {
      if (closesString(text, at + 1, keys)) return at;
      if (isFirst && joinsExpression(text, at + 1))
        return scanner.fail('an expression is no literal; write its value');
      if (isFirst && keys.followAt(text, at + 1))
        return scanner.fail(
          '`,` is missing between two arguments, or a string holds quotes that are not escaped',
        );
      isFirst = false;
    }
  }
  return scanner.fail(notClosed);
}

const notClosed = 'a string is not closed, or holds quotes that are not escaped';

/** Reads a triple-quoted string that ends in a quote of its own: `"""say "hi""""` (rule: repairs). */
function readTripleLoosely(
  scanner: Scanner,
  keys: ArgumentKeys,
  { close, inside }: StringStart,
): string | undefined {
  const { text } = scanner;
  const first = closingQuote(text, inside, close);
  let end = first;
  while (end >= 0 && end < first + 2 && text.startsWith(close, end + 1)) end += 1;
  if (end === first || !closesString(text, end + close.length, keys)) return scanner.fail(notClosed);
  scanner.repairs.add('inner_quotes');
  scanner.position = end + close.length;
  return resolveEscapes(scanner, text.slice(inside, end), close);
}

function closesString(text: string, position: number, keys: ArgumentKeys): boolean {
  const at = skipBlanks(text, position);
  if (text.charAt(at) === ')') return endsReply(text, at + 1) && !closesAgain(text, lineEnd(text, at));
  return text.charAt(at) === ',' && keys.beginsAt(text, skipSpace(text, at + 1));
}

/**
 * Reads unquoted text up to `)` or a comma, as in `query=where is the token`, unless it looks like code or a
 * placeholder.
 */
export function readBareWords(scanner: Scanner): string | undefined {
  const { text, position: start } = scanner;
  let depth = 0;
  let at = start;
  for (; at < text.length; at += 1) {
    const mark = text.charAt(at);
    if (mark === '\n' || mark === ',' || (mark === ')' && depth === 0)) break;
    if (forbidden(text, at, mark)) return scanner.fail(`\`${excerpt(scanner)}\` is no value; quote text`);
    if (mark === '(') depth += 1;
    if (mark === ')') depth -= 1;
  }
  const words = text.slice(start, at).trim();
  if (at >= text.length) return scanner.failAtEnd('`)` is missing at the end');
  if (depth > 0 || !isBareWord(words)) return scanner.fail(`\`${excerpt(scanner)}\` is no value; quote text`);
  scanner.repairs.add('bare_word');
  scanner.position = start + words.length;
  return words;
}

const operator = /[ \t]{0,8}(?:[+%]|\|\||&&|\?\?|(?:or|and|if)\b)[ \t]{0,8}["'`\w([{]/y;

/**
 * Whether the text after a closing quote continues an expression, as in `"a" + "b"` or `"a" if x else "b"`, so that the
 * quoted text is not the whole value.
 */
function joinsExpression(text: string, position: number): boolean {
  operator.lastIndex = position;
  return operator.test(text);
}

/**
 * Whether unquoted text must not contain the character at `at`: a quote, a bracket, or the beginning of a
 * `<placeholder>` or of a call such as `len(x)`. Apostrophes are allowed.
 */
function forbidden(text: string, at: number, mark: string): boolean {
  if (mark === '(') return at > 0 && isKeyCharacter(text.charCodeAt(at - 1));
  if (mark === "'" || mark === '’')
    return !(isKeyCharacter(text.charCodeAt(at - 1)) && isKeyCharacter(text.charCodeAt(at + 1)));
  return '"`“”„‘«»「」『』{}[]<>'.includes(mark) || text.startsWith('&quot;', at);
}
