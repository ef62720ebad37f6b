/** A call in the text of an earlier step. */
export interface WrittenCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Reads the calls in an assistant's text. Accepts only the forms that the service's prompts describe: `Action:
 * name(key=value, …)`, `<tool_code>`, and a JSON object on a line. The text was written by this same model, so forms
 * of other models cannot occur.
 */
export function readCalls(text: string): WrittenCall[] {
  const actions = [...text.matchAll(/^[ \t]*Action:[ \t]*([A-Za-z_][\w.-]*)\(/gmu)].map((match) => ({
    name: match[1] ?? '',
    args: readArguments(text, match.index + match[0].length),
  }));
  return actions.length > 0 ? actions : [...xmlCalls(text), ...jsonCalls(text)];
}

/** Returns whether the text is labelled as an answer or contains no call. */
export const isAnswer = (text: string): boolean =>
  /^[ \t]*Final Answer:|<final_answer>/imu.test(text) || readCalls(text).length === 0;

function xmlCalls(text: string): WrittenCall[] {
  const parts = text.split('<tool_code>').slice(1);
  return parts.flatMap((part) => {
    const end = part.indexOf('</tool_code>');
    const name = /^\s*<name>([^<]+)<\/name>/u.exec(part)?.[1];
    if (end === -1 || name === undefined) return [];
    return [{ name: name.trim(), args: toRecord(jsonValueOf(parametersIn(part.slice(0, end)))) }];
  });
}

function jsonCalls(text: string): WrittenCall[] {
  return text.split('\n').flatMap((line) => {
    const { action } = toRecord(line.startsWith('{') ? jsonValueOf(line) : undefined);
    const { tool, args } = toRecord(action);
    return typeof tool === 'string' ? [{ name: tool, args: toRecord(args) }] : [];
  });
}

function parametersIn(call: string): string {
  const start = call.indexOf('<parameters>');
  const end = call.lastIndexOf('</parameters>');
  return start === -1 || end < start ? '{}' : call.slice(start + '<parameters>'.length, end);
}

/** Reads `key=value` pairs up to the closing parenthesis. A value is a JSON literal or a single word. */
function readArguments(text: string, start: number): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  const pair = /\s*([A-Za-z_]\w*)\s*[=:]\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^,()\s]+)\s*(,?)/uy;
  pair.lastIndex = start;
  for (let match = pair.exec(text); match; match = pair.exec(text)) {
    const [, name = '', value = '', comma] = match;
    args[name] = jsonValueOf(value) ?? value;
    if (!comma) break;
  }
  return args;
}

export function jsonValueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const toRecord = (value: unknown): Record<string, unknown> => Object.fromEntries(Object.entries(value ?? {}));
