import { lexer, type Token, Tokenizer, type Tokens } from 'marked';

/**
 * Maximum depth of nested quotes and lists. Deeper ones remain plain text, because the lexer reads their content
 * again at each level.
 */
const MAX_NESTING = 16;

class BoundedTokenizer extends Tokenizer {
  #nesting = 0;

  override blockquote(text: string): Tokens.Blockquote | undefined {
    return this.#nested(() => super.blockquote(text));
  }

  override list(text: string): Tokens.List | undefined {
    return this.#nested(() => super.list(text));
  }

  #nested<Block>(read: () => Block | undefined): Block | undefined {
    if (this.#nesting === MAX_NESTING) return undefined;
    this.#nesting += 1;
    try {
      return read();
    } finally {
      this.#nesting -= 1;
    }
  }
}

/** Splits Markdown into tokens of `marked`. If the lexer throws, returns the text as one text token. */
export function lexMarkdown(text: string): Token[] {
  try {
    return lexer(text, { gfm: true, tokenizer: new BoundedTokenizer() });
  } catch {
    return [{ type: 'text', raw: text, text }];
  }
}
