/** Reads a model's Markdown into nodes of fixed types, from which a page can build safe elements. */

export {
  type Cell,
  type ListItem,
  type MarkdownCodeBlock,
  type MarkdownContainer,
  type MarkdownHeading,
  type MarkdownLink,
  type MarkdownList,
  type MarkdownMark,
  type MarkdownNode,
  type MarkdownOptions,
  type MarkdownTable,
  type MarkdownText,
  readMarkdown,
} from './read-markdown.js';
