import { expect, test } from '@jest/globals';
import { chooseTools } from '../../../src/offline/extractive/choose-tools.js';

const offer = (name: string) => ({ name, description: '', parameters: ['query'] });

test.each([
  'ToolSearch',
  'tool_search',
  'search_tool_functions',
  'find_tools',
  'session_search',
])('the offline model does not search files with %s, which searches tools or sessions', (name) => {
  expect(chooseTools([offer(name)]).search).toBeNull();
});

test.each([
  'mcp__devtools__search',
  'search_code',
  'grep_search',
  'search_files',
])('the offline model searches files with %s even if a search over tools is offered first', (name) => {
  expect(chooseTools([offer('ToolSearch'), offer(name)]).search?.name).toBe(name);
});
