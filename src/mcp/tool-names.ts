import { createHash } from 'node:crypto';

/** Maximum length of a tool name for OpenAI and Anthropic. */
const MAX_LENGTH = 64;
/** Matches characters that OpenAI and Anthropic reject in a tool name. */
const foreign = /[^a-zA-Z0-9_-]/g;
const HASH_LENGTH = 6;
/**
 * Matches server names that would make a prefixed name ambiguous: `a__b__c` could be tool `c` of server `a__b` or
 * tool `b__c` of server `a`.
 */
const ambiguous = /__|_$/;
/** Matches names that end like one of our hash suffixes, and so could equal the changed name of another tool. */
const endsLikeHash = new RegExp(`_[0-9a-f]{${HASH_LENGTH}}$`);

/**
 * Returns the names that the model sees, in the order of the tools: `server__tool`, with a length and characters
 * that every vendor accepts. A name that had to be changed, or that two tools would share, ends in a hash of the
 * original name. So a tool has the same name in every session, whichever other tools are offered
 * (rule: mcp-names).
 */
export function offeredNames(server: string, tools: readonly string[]): readonly string[] {
  const plain = tools.map((tool) => `${server}__${tool}`);
  return tools.map((tool, index) => {
    const name = plain[index] ?? '';
    const valid = name.replace(foreign, '_');
    const isShared = plain.some((other, at) => at !== index && other.replace(foreign, '_') === valid);
    const isClear = valid === name && !isShared && !ambiguous.test(server) && !endsLikeHash.test(name);
    if (isClear && name.length <= MAX_LENGTH) return name;
    return `${valid.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hashOf(server, tool)}`;
  });
}

const hashOf = (server: string, tool: string): string =>
  createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
