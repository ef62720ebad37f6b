import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type MarkdownNode, readMarkdown } from '../../markdown/read-markdown.js';

/** Renders a model's text as one element per Markdown node; the text is never inserted as HTML. */
export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(() => readMarkdown(text), [text]);
  return (
    <div class="markdown" dir="auto">
      <Nodes nodes={nodes} />
    </div>
  );
}

const Nodes = ({ nodes }: { nodes: readonly MarkdownNode[] }) => <>{nodes.map(element)}</>;

function element(node: MarkdownNode): ComponentChildren {
  switch (node.type) {
    case 'text':
      return node.text;
    case 'code':
      return <code>{node.text}</code>;
    case 'code-block':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled with the keyboard
        <pre dir="auto" tabIndex={0} data-language={node.language}>
          <code>{node.text}</code>
        </pre>
      );
    case 'break':
      return <br />;
    case 'rule':
      return <hr />;
    case 'link':
      return (
        <a href={node.href} rel="noopener noreferrer" target="_blank">
          <Nodes nodes={node.children} />
        </a>
      );
    case 'list':
      return <List node={node} />;
    case 'table':
      return <Table node={node} />;
    default:
      return <Container node={node} />;
  }
}

type NodeOf<Type> = Extract<MarkdownNode, { type: Type }>;

function Container({ node }: { node: Extract<MarkdownNode, { children: unknown }> }) {
  const children = <Nodes nodes={node.children} />;
  switch (node.type) {
    case 'heading':
      // A paragraph instead of `<h1>`, because the page has headings of its own; CSS shows the level that the model
      // chose.
      return (
        <p dir="auto" class={`heading heading-${Math.min(node.depth, 4)}`}>
          {children}
        </p>
      );
    case 'paragraph':
      return <p dir="auto">{children}</p>;
    case 'quote':
      return <blockquote dir="auto">{children}</blockquote>;
    case 'strong':
      return <strong>{children}</strong>;
    case 'emphasis':
      return <em>{children}</em>;
    case 'deleted':
      return <del>{children}</del>;
    default:
      return children;
  }
}

function List({ node: { start, items } }: { node: NodeOf<'list'> }) {
  const children = items.map(({ checked, children }) => (
    <li dir="auto">
      {checked !== null && <span>{checked ? '☑ ' : '☐ '}</span>}
      <Nodes nodes={children} />
    </li>
  ));
  return start === null ? <ul>{children}</ul> : <ol start={start}>{children}</ol>;
}

function Table({ node: { head, rows } }: { node: NodeOf<'table'> }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    <section class="table" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th dir="auto">
                <Nodes nodes={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell) => (
                <td dir="auto">
                  <Nodes nodes={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
