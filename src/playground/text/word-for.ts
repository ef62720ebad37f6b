/** The word of a table for a name that anybody's file may hold, `constructor` among them; the name itself where it has none. */
export const wordFor = (words: Readonly<Record<string, string>>, name: string): string =>
  (Object.hasOwn(words, name) ? words[name] : undefined) ?? name;
