const own = 'STEPWISE_LLM_KEY';

/** Where a vendor's users keep their key. */
const vendorVariables: readonly { readonly models: RegExp; readonly variable: string }[] = [
  { models: /^(?:anthropic\/)?claude/i, variable: 'ANTHROPIC_API_KEY' },
  { models: /^(?:openai\/)?(?:gpt|o\d|chatgpt|codex)/i, variable: 'OPENAI_API_KEY' },
];

/**
 * The model key from the environment: ours, else the vendor's usual one. A named upstream never gets a vendor's
 * key. Never taken from an argument: arguments are seen by every process and kept by shells.
 */
export function findModelKey(
  model: string,
  {
    upstream,
    environment = process.env,
  }: { upstream?: string | undefined; environment?: NodeJS.ProcessEnv } = {},
): string | undefined {
  const variable = upstream ? undefined : keyVariable(model);
  return environment[own] || (variable && environment[variable]) || undefined;
}

/** The variable to name when a key is missing. */
export const keyVariable = (model: string): string | undefined =>
  vendorVariables.find(({ models }) => models.test(model))?.variable;
