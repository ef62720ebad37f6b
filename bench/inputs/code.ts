import { readdirSync, readFileSync } from 'node:fs';

const folder = 'node_modules/zod/src/v4/core';

/** Long runs of characters are removed: js-tiktoken takes seconds for one of them. */
const code = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  .join('\n')
  .replace(/\S{500,}/g, '');

const longName = /\b[A-Za-z]{10,}\b/g;

let lap = 0;
let rest = '';

/**
 * Returns the next characters of some 600,000 of real TypeScript. Once all are used, they come again under other names
 * (`ParsePayload1`), so that no text is sent twice that a service could have cached.
 */
export function takeCode(length: number): string {
  while (rest.length < length) {
    rest += code.replace(longName, `$&${lap}`);
    lap += 1;
  }
  // Copies the text: a slice would keep the whole string alive.
  const text = Buffer.from(rest.slice(0, length)).toString();
  rest = rest.slice(length);
  return text;
}
