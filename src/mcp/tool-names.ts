import { createHash } from 'node:crypto';

/** What OpenAI and Anthropic allow in the name of a tool. */
const MAX_LENGTH = 64;
const foreign = /[^a-zA-Z0-9_-]/g;
const HASH_LENGTH = 6;
/** Where such a name of a server ends is not seen: `a__b` and `c` would be `a` and `b__c`. */
const ambiguous = /__|_$/;
/** A tool that is called as if it had such digits could have the name of another one. */
const likeDigits = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * The names by which a model calls the tools of a server, in their order: `server__tool`, in characters and at a length
 * that every vendor allows. A name that had to be changed, or that two tools would share, ends in a few digits made of
 * the true one: so it is the same in every session, whatever else is offered (rule: mcp-names).
 */
export function offeredNames(server: string, tools: readonly string[]): readonly string[] {
  const plain = tools.map((tool) => `${server}__${tool}`);
  return tools.map((tool, index) => {
    const name = plain[index] ?? '';
    const valid = name.replace(foreign, '_');
    const isShared = plain.some((other, at) => at !== index && other.replace(foreign, '_') === valid);
    const isClear = valid === name && !isShared && !ambiguous.test(server) && !likeDigits.test(name);
    if (isClear && name.length <= MAX_LENGTH) return name;
    return `${valid.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${digitsOf(server, tool)}`;
  });
}

const digitsOf = (server: string, tool: string): string =>
  createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
