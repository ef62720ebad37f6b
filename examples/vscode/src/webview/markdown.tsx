import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type MarkdownNode, readMarkdown } from 'stepwise/markdown';
import { CodeText } from './code-text.js';

/** Maximum length rendered as Markdown; longer texts are shown as plain text. */
const MAX_CHARS = 60_000;

/** Renders a model's text. Links cannot be followed: each shows its text and its address. */
export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(() => readMarkdown(text, { maxChars: MAX_CHARS }), [text]);
  return (
    <div class="markdown" dir="auto">
      {elements(nodes)}
    </div>
  );
}

const elements = (nodes: readonly MarkdownNode[]): ComponentChildren => nodes.map(element);

function element(node: MarkdownNode): ComponentChildren {
  switch (node.type) {
    case 'text':
      return node.text;
    case 'code':
      return <code>{node.text}</code>;
    case 'code-block':
      return <CodeText>{node.text}</CodeText>;
    case 'break':
      return <br />;
    case 'rule':
      return <hr />;
    case 'heading':
      return <p class="heading">{elements(node.children)}</p>;
    case 'paragraph':
      return <p>{elements(node.children)}</p>;
    case 'quote':
      return <blockquote>{elements(node.children)}</blockquote>;
    case 'strong':
      return <strong>{elements(node.children)}</strong>;
    case 'emphasis':
      return <em>{elements(node.children)}</em>;
    case 'deleted':
      return <del>{elements(node.children)}</del>;
    case 'list':
      return listElement(node);
    case 'table':
      return tableElement(node);
    case 'link':
    case 'plain':
      return elements(node.children);
  }
}

type NodeOf<Type> = Extract<MarkdownNode, { type: Type }>;

function listElement({ start, items }: NodeOf<'list'>): ComponentChildren {
  const children = items.map((item) => (
    <li>
      {item.checked !== null && (item.checked ? '☑ ' : '☐ ')}
      {elements(item.children)}
    </li>
  ));
  return start === null ? <ul>{children}</ul> : <ol start={start}>{children}</ol>;
}

const tableElement = ({ head, rows }: NodeOf<'table'>): ComponentChildren => (
  <div class="table">
    <table>
      <thead>
        <tr>
          {head.map((cell) => (
            <th>{elements(cell)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map((cell) => (
              <td>{elements(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
