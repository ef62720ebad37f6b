/**
 * Returns the table's word for a name, or the name itself. Looks at own properties only: a file may contain the name
 * `constructor`.
 */
export const wordFor = (words: Readonly<Record<string, string>>, name: string): string =>
  (Object.hasOwn(words, name) ? words[name] : undefined) ?? name;
