import { isObject } from '../../../contract/fields.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import type { NativeToolCall } from '../provider.js';

/**
 * Returns the tools by which a call is read that is whole but does not fit: first those of the request without the
 * schemas of their arguments, then none, so that any name is taken (rule: whole-calls).
 */
export function laxTools(offered: readonly OfferedTool[], isUnknown: boolean): readonly OfferedTool[][] {
  const withoutSchemas = offered.map(({ name, parameters }) => ({ name, parameters }));
  return isUnknown ? [withoutSchemas, []] : [withoutSchemas];
}

/** Returns the arguments of a native call if it is whole: one JSON object, to its end. */
export function wholeArguments(
  { name, arguments: written }: NativeToolCall,
  isCut: boolean,
): Readonly<Record<string, unknown>> | undefined {
  if (name === '') return undefined;
  if (written.trim() === '') return isCut ? undefined : {};
  try {
    const value: unknown = JSON.parse(written);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // cut or unreadable
  }
}
