/** A model's Markdown as a closed list of nodes, for a page that shows it. */

export { type Cell, type ListItem, type MarkdownNode, readMarkdown } from './read-markdown.js';
