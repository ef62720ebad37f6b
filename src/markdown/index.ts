/** Reads a model's Markdown into nodes of fixed types, from which a page can build safe elements. */

export { type Cell, type ListItem, type MarkdownNode, readMarkdown } from './read-markdown.js';
