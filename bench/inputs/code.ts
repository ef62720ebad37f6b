import { readdirSync, readFileSync } from 'node:fs';

const folder = 'node_modules/zod/src/v4/core';

/**
 * Source code of Zod. Runs of 500 or more characters without a space are removed, because js-tiktoken takes seconds for
 * each.
 */
const code = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  .join('\n')
  .replace(/\S{500,}/g, '');

const longName = /\b[A-Za-z]{10,}\b/g;

let lap = 0;
let rest = '';

/**
 * Returns the next `length` characters of about 600,000 characters of real TypeScript. After the end, the code
 * repeats with other names (`ParsePayload1`), so that a service cannot have cached any text.
 */
export function takeCode(length: number): string {
  while (rest.length < length) {
    rest += code.replace(longName, `$&${lap}`);
    lap += 1;
  }
  // The text is copied, because a slice would keep the whole string in memory.
  const text = Buffer.from(rest.slice(0, length)).toString();
  rest = rest.slice(length);
  return text;
}
