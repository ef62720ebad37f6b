import { isObject } from '../../../contract/fields.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import { isTooDeep, parseJsonKeepingDigits } from '../../../parsing/text/exact-json.js';
import type { NativeToolCall } from '../provider.js';

/**
 * Returns lists of tools with which to parse a complete call again that failed the check, in this order: the
 * request's tools without their schemas and, if the tool is unknown, an empty list, which allows any name (rule:
 * whole-calls).
 */
export function laxTools(offered: readonly OfferedTool[], isUnknown: boolean): readonly OfferedTool[][] {
  const withoutSchemas = offered.map(({ name, parameters }) => ({ name, parameters }));
  return isUnknown ? [withoutSchemas, []] : [withoutSchemas];
}

/**
 * Returns the arguments of a native call that was not cut off, if they are one JSON object or empty. Numbers that
 * JavaScript cannot represent are strings of their digits.
 */
export function wholeArguments({
  name,
  arguments: written,
}: NativeToolCall): Readonly<Record<string, unknown>> | undefined {
  if (name === '') return undefined;
  if (written.trim() === '') return {};
  try {
    const value = parseJsonKeepingDigits(written);
    return isObject(value) && !isTooDeep(written) ? value : undefined;
  } catch {
    return undefined; // cut or unreadable
  }
}
