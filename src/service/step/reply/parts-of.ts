/**
 * Splits a long text into parts of at most 32,768 characters, between which other requests are served and an abort
 * signal can end the work.
 */
export const partsOf = (text: string): readonly string[] => text.match(/[\s\S]{1,32768}/gu) ?? [];
