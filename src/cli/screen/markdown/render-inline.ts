import type { MarkedToken, Token } from 'marked';
import type { Paint } from '../../display/paint.js';
import { showText } from '../visible-text.js';

export interface TextView {
  readonly paint: Paint;
  /** Available width in columns. */
  readonly width: number;
}

/**
 * Renders inline Markdown with its emphasis and original line breaks. Each text is made safe here, since the lexer
 * decodes entities such as `&#27;`.
 */
export const renderInline = (tokens: readonly Token[], paint: Paint): string =>
  // Cast: a lexer without extensions creates only tokens of this type.
  tokens.map((token) => renderToken(token as MarkedToken, paint)).join('');

function renderToken(token: MarkedToken, paint: Paint): string {
  switch (token.type) {
    case 'strong':
      return paint('bold', renderInline(token.tokens, paint));
    case 'em':
      return paint('italic', renderInline(token.tokens, paint));
    case 'del':
      return paint('strikethrough', renderInline(token.tokens, paint));
    case 'codespan':
      return paint('cyan', showText(token.text));
    case 'br':
      return '\n';
    case 'link':
      return withAddress(renderInline(token.tokens, paint), token, paint);
    case 'image':
      return withAddress(showText(token.text), token, paint);
    case 'checkbox':
      return '';
    case 'text':
      return token.tokens ? renderInline(token.tokens, paint) : showText(withEntities(token.text));
    case 'escape':
      return showText(token.text);
    default:
      return showText(token.raw);
  }
}

/** Shows the address of every link, since the text of a link may name another address. */
function withAddress(words: string, link: { href: string; text: string }, paint: Paint): string {
  const [href, text] = [showText(link.href), showText(link.text)];
  const isSame = text === href || `mailto:${text}` === href || text === '';
  return isSame ? paint('underline', href) : `${paint('underline', words)} (${href})`;
}

/** Entities that the lexer does not decode. */
const entities: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" },
};

const withEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
