/**
 * Splits a long text into parts of at most 32,768 characters. Between parts, the service can handle other requests or
 * abort.
 */
export const partsOf = (text: string): readonly string[] => text.match(/[\s\S]{1,32768}/gu) ?? [];
