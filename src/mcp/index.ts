/** Offers the tools of Model Context Protocol servers to runs. Needs Node. */

export type { LeftOutTool } from './listed-tools.js';
export type { McpTimeouts } from './mcp-connection.js';
export type { HttpServer, McpServer, StdioServer } from './mcp-server.js';
export type { McpReview, McpTool, McpVerdict } from './mcp-tool.js';
export { type McpTools, mcpTools } from './mcp-tools.js';
export type { DecidedTool, McpOptions, McpServerState } from './running-server.js';
