import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { CodeText } from './code-text.js';

/** Beyond these a text is shown as it is: what no answer reaches, and what a text made to do harm does. */
const MAX_LENGTH = 60_000;
const MAX_DEPTH = 20;
/** Marks in a row: each opens a level, or a search to the end of the text. */
const bomb = /(?:[>\-*+]\s*){64}|[*_~`[\]()<!]{200}/;

/**
 * A model's text. Each kind of token has an element here, and nothing of the text is ever taken for markup: HTML,
 * images and links are shown as the text they are, an address beside its words.
 */
export function Markdown({ text }: { text: string }) {
  const children = useMemo(() => render(text), [text]);
  return (
    <div class="markdown" dir="auto">
      {children}
    </div>
  );
}

function render(text: string): ComponentChildren {
  if (text.length > MAX_LENGTH || bomb.test(text)) return text;
  try {
    return elements(lexer(text, { gfm: true }), 0);
  } catch {
    return text;
  }
}

function elements(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  if (depth > MAX_DEPTH) throw new RangeError('Too deep.');
  // The lexer's own tokens are told apart by their type; there are no extensions that could bring others.
  return tokens?.map((token) => element(token as MarkedToken, depth + 1));
}

function element(token: MarkedToken, depth: number): ComponentChildren {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox': // its item says the same
      return null;
    case 'code':
      return <CodeText>{token.text}</CodeText>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'heading':
      return <p class="heading">{elements(token.tokens, depth)}</p>;
    case 'paragraph':
      return <p>{elements(token.tokens, depth)}</p>;
    case 'blockquote':
      return <blockquote>{elements(token.tokens, depth)}</blockquote>;
    case 'strong':
      return <strong>{elements(token.tokens, depth)}</strong>;
    case 'em':
      return <em>{elements(token.tokens, depth)}</em>;
    case 'del':
      return <del>{elements(token.tokens, depth)}</del>;
    case 'link':
      return token.text === token.href ? (
        token.href
      ) : (
        <>
          {elements(token.tokens, depth)} ({token.href})
        </>
      );
    case 'image':
      return `[image: ${token.text} ${token.href}]`;
    case 'list':
      return listElement(token, depth);
    case 'table':
      return tableElement(token, depth);
    case 'text':
      return token.tokens ? elements(token.tokens, depth) : token.text;
    case 'escape':
      return token.text;
    default:
      return token.raw; // HTML, as it was written
  }
}

function listElement({ ordered, start, items }: Tokens.List, depth: number): ComponentChildren {
  const children = items.map(({ task, checked, tokens }) => (
    <li>
      {task && (checked ? '☑ ' : '☐ ')}
      {elements(tokens, depth)}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{children}</ol> : <ul>{children}</ul>;
}

const tableElement = ({ header, rows }: Tokens.Table, depth: number): ComponentChildren => (
  <div class="table">
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }) => (
            <th>{elements(tokens, depth)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map(({ tokens }) => (
              <td>{elements(tokens, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
