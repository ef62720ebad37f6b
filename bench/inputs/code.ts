import { readdirSync, readFileSync } from 'node:fs';

const folder = 'node_modules/zod/src/v4/core';

/** Without runs of so many characters: on one of them js-tiktoken takes seconds. */
const code = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  .join('\n')
  .replace(/\S{500,}/g, '');

let taken = 0;

/** The next so many characters of some 600,000 of real TypeScript, in a circle: no two takes begin at the same place. */
export function takeCode(length: number): string {
  const start = taken % code.length;
  taken += length;
  const text = code.slice(start, start + length);
  // As one block: a slice would be read through its whole.
  return Buffer.from(text + code.slice(0, length - text.length)).toString();
}
