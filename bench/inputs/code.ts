import { readdirSync, readFileSync } from 'node:fs';

const folder = 'node_modules/zod/src/v4/core';

/** Without runs of so many characters: on one of them js-tiktoken takes seconds. */
const code = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  .join('\n')
  .replace(/\S{500,}/g, '');

const longName = /\b[A-Za-z]{10,}\b/g;

let lap = 0;
let rest = '';

/**
 * The next so many characters of some 600,000 of real TypeScript; when they are used up they come again under other names
 * (`ParsePayload1`), so that nothing is sent twice that a service could have remembered.
 */
export function takeCode(length: number): string {
  while (rest.length < length) {
    rest += code.replace(longName, `$&${lap}`);
    lap += 1;
  }
  // As blocks of their own: a slice would be read through its whole.
  const text = Buffer.from(rest.slice(0, length)).toString();
  rest = rest.slice(length);
  return text;
}
