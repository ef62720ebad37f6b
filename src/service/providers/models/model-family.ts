/**
 * Words in model names that identify a family. Models with the same word accept each other's reasoning state, as
 * far as is known.
 */
const families =
  /claude|gemini|gpt|deepseek|kimi|qwen|qwq|glm|grok|minimax|magistral|mistral|llama|nova|nemotron|gemma|command|seed|step|mimo/;

/** OpenAI's reasoning models that are named by a letter and a number. */
const numbered = /^(?:ft:)?o\d/;

/**
 * Returns the family of a model. Reasoning state is sent back only to the same family (rule: provider-state). A
 * name without a known word, such as that of a deployment, is its own family.
 */
export function familyOf(model: string): string {
  const name = model.toLowerCase();
  const last = name.slice(name.lastIndexOf('/') + 1);
  return families.exec(last)?.[0] ?? (numbered.test(last) ? 'o' : name);
}
