import type { ObjectScanner } from '../scanning/object-scanner.js';
import type { ScannedField } from '../scanning/scanned-strings.js';
import type { ScannedReply } from './scanned-reply.js';

type Outcomes = Pick<ScannedReply, 'scanner' | 'text' | 'start' | 'tools'>;

/** Fields that may decide the reply: those that say anything, or all where none does. */
export function outcomesOf(reply: Outcomes): ScannedField[] {
  const given = reply.scanner.fields.filter(
    ({ key, first }) => (key === 'action' || key === 'final_answer') && first !== 'n',
  );
  const spoken = given.filter((field) => !saysNothing(reply, field));
  return spoken.length > 0 ? spoken : given;
}

/** No answer, or no action: an empty value, or a word for none in place of the tool. */
function saysNothing(reply: Outcomes, { key, first, start, end }: ScannedField): boolean {
  const { strings } = reply.scanner;
  const said = strings.get(key);
  if (first === '"' && said !== undefined) return key === 'action' ? isNone(reply, said) : said.trim() === '';
  if (first === 'f') return true;
  if (end === null) return false;
  const written = reply.text.slice(reply.start + start, reply.start + end);
  if (/^(?:\{\s*\}|\[\s*\])\s*$/.test(written)) return true;
  if (first !== '{' || key !== 'action' || strings.get('action.final_answer')?.trim()) return false;
  const tool = toolNamed(strings);
  return tool === null ? /"tool"\s{0,64}:\s{0,64}(?:null|false)\b/.test(written) : isNone(reply, tool.name);
}

/** Words for no action, unless a tool is called so. */
function isNone({ tools }: Outcomes, written: string): boolean {
  const word = written.trim();
  return /^(?:|-|none|null|n\/?a|no[ _]action)$/i.test(word) && tools.every(({ name }) => name !== word);
}

/** The tool that an action names, and its place among the strings. */
function toolNamed(strings: ObjectScanner['strings']): { name: string; place: number } | null {
  const paths = [...strings.keys()];
  const place = paths.findIndex((path) => toolPaths.has(path));
  const name = strings.get(paths[place] ?? '');
  return name === undefined ? null : { name, place };
}

const toolPaths: ReadonlySet<string> = new Set(['action.tool', 'action.name', 'action.tool_name']);

/** The answer that stands under `action`; null where that is an action: of a tool and an answer there the first counts. */
export function nestedAnswer(
  reply: Pick<Outcomes, 'scanner' | 'tools' | 'text' | 'start'>,
  { key }: ScannedField,
): string | null {
  const { strings } = reply.scanner;
  const answer = key === 'action' ? strings.get('action.final_answer')?.trim() : undefined;
  if (answer === undefined) return null;
  const tool = toolNamed(strings);
  if (!tool || isNone(reply, tool.name)) return answer;
  return answer !== '' && [...strings.keys()].indexOf('action.final_answer') < tool.place ? answer : null;
}

/** An action and an answer stand under `action`. */
export function holdsBoth(reply: ScannedReply): boolean {
  const { strings } = reply.scanner;
  const tool = toolNamed(strings);
  return Boolean(strings.get('action.final_answer')?.trim()) && tool !== null && !isNone(reply, tool.name);
}
